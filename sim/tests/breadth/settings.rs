//! Settings of streams and devices.

use crate::support::*;
use crate::world::*;
use ascendcl_macros::proves;
use ascendcl_sys::constants::*;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

const INVALID: i32 = ACL_ERROR_RT_PARAM_INVALID;
const CUBE: aclrtDevResLimitType = aclrtDevResLimitType::ACL_RT_DEV_RES_CUBE_CORE;

#[test]
fn a_wait_that_names_no_limit_has_the_one_set_last_for_the_process() {
    let _world = world();
    let (waiting, held) = (stream(), Held::new());
    ok!(process::aclrtSetOpWaitTimeout(600));
    ok!(process::aclrtSetOpWaitTimeout(1));
    ok!(event::aclrtStreamWaitEvent(waiting, held.event));
    let begun = std::time::Instant::now();
    assert_ne!(call!(stream::aclrtSynchronizeStream(waiting)), 0, "the event comes when the wait is long over");
    assert!(begun.elapsed() >= std::time::Duration::from_millis(900));
    held.open();
}

#[test]
fn a_stream_goes_on_after_a_failure_as_long_as_nothing_else_was_said() {
    let _world = world();
    let (held, stream, ran) = (Held::elsewhere(), stream(), Arc::new(AtomicU32::new(0)));
    let counter = Arc::clone(&ran);
    failing_wait(stream, &held);
    launch(stream, move || {
        counter.fetch_add(1, SeqCst);
    });
    fails!(ACL_ERROR_RT_WAIT_TIMEOUT, "time limit", stream::aclrtSynchronizeStream(stream));
    assert_eq!(ran.load(SeqCst), 1);
    held.open();
}

#[test]
#[proves(STREAM_15)]
fn stop_on_failure_ends_the_work_of_all_streams_of_the_context() {
    let _world = world();
    let ran = Arc::new(AtomicU32::new(0));
    let count = |stream| {
        let counter = Arc::clone(&ran);
        launch(stream, move || {
            counter.fetch_add(1, SeqCst);
        });
    };
    let held = Held::elsewhere();
    let (failing, other) = (stream(), stream());
    ok!(stream::aclrtSetStreamFailureMode(failing, ACL_STOP_ON_FAILURE.into()));
    let later = stream();
    let (open, opened) = std::sync::mpsc::channel::<()>();
    count(later);
    synchronize(later);
    assert_eq!(ran.load(SeqCst), 1, "before the failure streams run");
    launch(other, move || {
        let _ = opened.recv();
    });
    count(other);
    // Everything is queued before the wait begins that fails.
    let begin = Held::elsewhere();
    ok!(event::aclrtStreamWaitEvent(failing, begin.event));
    failing_wait(failing, &held);
    count(failing);
    begin.open();
    // Every wait answers with the failure from now on, also for the stream whose task still runs.
    let new = stream();
    for stream in [failing, other, later, new, failing, other] {
        fails!(ACL_ERROR_RT_WAIT_TIMEOUT, "time limit", stream::aclrtSynchronizeStream(stream));
    }
    fails!(ACL_ERROR_RT_WAIT_TIMEOUT, "time limit", device::aclrtSynchronizeDevice());
    let place = on_device(&[0; 4]);
    for stream in [failing, other, later, new] {
        fails!(ACL_ERROR_RT_WAIT_TIMEOUT, "takes no more work", copy::aclrtMemsetAsync(place, 4, 1, 4, stream));
    }
    drop(open);
    fails!(ACL_ERROR_RT_WAIT_TIMEOUT, "time limit", stream::aclrtDestroyStream(other));
    assert_eq!(ran.load(SeqCst), 1, "nothing ran behind the failure, on either stream");
    fails!(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "taken back", stream::aclrtSetStreamFailureMode(failing, 0));
    // The lowest bit counts.
    fails!(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "taken back", stream::aclrtSetStreamFailureMode(failing, 2));
    ok!(stream::aclrtSetStreamFailureMode(failing, 9));
}

#[test]
fn attributes_of_a_stream_are_kept() {
    let _world = world();
    let stream = stream();
    let value = |attribute| {
        let mut value = aclrtStreamAttrValue { reserve: [9; 4] };
        ok!(stream::aclrtGetStreamAttribute(stream, attribute, &mut value));
        // SAFETY: every bit pattern is a number.
        unsafe { value.overflowSwitch }
    };
    let (check, tag) =
        (aclrtStreamAttr::ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, aclrtStreamAttr::ACL_STREAM_ATTR_USER_CUSTOM_TAG);
    assert_eq!((value(check), value(tag)), (0, 0));
    ok!(stream::aclrtSetStreamOverflowSwitch(stream, 1));
    let mut given = aclrtStreamAttrValue { reserve: [1234, 0, 0, 0] };
    ok!(stream::aclrtSetStreamAttribute(stream, tag, &mut given));
    assert_eq!((value(check), value(tag)), (1, 1234));
    let mut flag = 0;
    ok!(stream::aclrtGetStreamOverflowSwitch(stream, &mut flag));
    assert_eq!(flag, 1);
    ok!(stream::aclrtSetStreamFailureMode(stream, 1));
    assert_eq!(value(aclrtStreamAttr::ACL_STREAM_ATTR_FAILURE_MODE), 1);

    fails!(ACL_ERROR_INVALID_PARAM, "no value", stream::aclrtSetStreamOverflowSwitch(stream, 2));
    fails!(INVALID, "attribute 99", stream::aclrtGetStreamAttribute(stream, aclrtStreamAttr(99), &mut given));
    let null = core::ptr::null_mut();
    fails!(ACL_ERROR_INVALID_PARAM, "null", stream::aclrtSetStreamAttribute(stream, tag, null));
    ok!(stream::aclrtDestroyStream(stream));
    let gone = ACL_ERROR_RT_INVALID_HANDLE;
    fails!(gone, "live stream", stream::aclrtSetStreamOverflowSwitch(stream, 1));
}

#[test]
fn the_overflow_mode_is_the_processs_and_stays_when_a_device_is_reset() {
    let _world = world();
    let mode = || {
        let mut mode = aclrtFloatOverflowMode::ACL_RT_OVERFLOW_MODE_UNDEF;
        ok!(device::aclrtGetDeviceSatMode(&mut mode));
        mode
    };
    let (saturating, infinite) =
        (aclrtFloatOverflowMode::ACL_RT_OVERFLOW_MODE_SATURATION, aclrtFloatOverflowMode::ACL_RT_OVERFLOW_MODE_INFNAN);
    assert_eq!(mode(), infinite);
    ok!(device::aclrtSetDeviceSatMode(saturating));
    ok!(device::aclrtSetDevice(1));
    assert_eq!(mode(), saturating);
    ok!(device::aclrtResetDevice(1));
    ok!(device::aclrtSetDevice(0));
    let undefined = aclrtFloatOverflowMode::ACL_RT_OVERFLOW_MODE_UNDEF;
    fails!(INVALID, "no overflow mode 2", device::aclrtSetDeviceSatMode(undefined));
    ok!(device::aclrtResetDeviceForce(0));
    assert_eq!(mode(), saturating, "without a context, too");
    ok!(device::aclrtSetDeviceSatMode(infinite));
    ok!(device::aclrtSetDevice(0));
    assert_eq!(mode(), infinite);
}

#[test]
#[proves(STREAM_19)]
fn a_limit_of_cores_holds_on_the_thread_that_uses_its_stream() {
    let _world = world();
    let (one, other) = (stream(), stream());
    let here = || {
        let mut value = 0;
        ok!(device::aclrtGetResInCurrentThread(CUBE, &mut value));
        value
    };
    assert_eq!(here(), 24);
    ok!(device::aclrtSetDeviceResLimit(0, CUBE, 20));
    ok!(stream::aclrtSetStreamResLimit(one, CUBE, 8));
    assert_eq!(here(), 20, "a limit that no thread uses has no effect");
    ok!(stream::aclrtUseStreamResInCurrentThread(one));
    assert_eq!(here(), 8);
    ok!(stream::aclrtUseStreamResInCurrentThread(other));
    assert_eq!(here(), 20, "the last one wins, and it has no limit of its own");
    ok!(stream::aclrtUnuseStreamResInCurrentThread(one));
    ok!(stream::aclrtSetStreamResLimit(other, CUBE, 4));
    assert_eq!(here(), 4, "it was not in use, so nothing changed");
    ok!(stream::aclrtUnuseStreamResInCurrentThread(other));
    assert_eq!(here(), 20);
    ok!(device::aclrtResetDeviceResLimit(0));
    let mut value = 0;
    ok!(stream::aclrtGetStreamResLimit(one, CUBE, &mut value));
    assert_eq!((here(), value), (24, 8));
    ok!(stream::aclrtResetStreamResLimit(one));
    ok!(stream::aclrtGetStreamResLimit(one, CUBE, &mut value));
    assert_eq!(value, 24);
    fails!(INVALID, "25 cores", stream::aclrtSetStreamResLimit(one, CUBE, 25));
    fails!(INVALID, "type of core 7", device::aclrtSetDeviceResLimit(0, aclrtDevResLimitType(7), 1));
    fails!(ACL_ERROR_RT_INVALID_DEVICEID, "device 9", device::aclrtSetDeviceResLimit(9, CUBE, 1));
    let (mut least, mut greatest) = (0, 9);
    ok!(stream::aclrtDeviceGetStreamPriorityRange(&mut least, &mut greatest));
    assert_eq!((least, greatest), (7, 0));
}

#[test]
fn a_record_that_a_stopped_stream_refuses_leaves_the_waits_for_the_next_record() {
    let _world = world();
    let held = Held::elsewhere();
    let stopped = stream();
    ok!(stream::aclrtSetStreamFailureMode(stopped, ACL_STOP_ON_FAILURE.into()));
    failing_wait(stopped, &held);
    fails!(ACL_ERROR_RT_WAIT_TIMEOUT, "time limit", stream::aclrtSynchronizeStream(stopped));
    let (mut before, mut other, mut event) = (aclrtContext::NULL, aclrtContext::NULL, aclrtEvent::NULL);
    ok!(device::aclrtGetCurrentContext(&mut before));
    ok!(event::aclrtCreateEventWithFlag(&mut event, ACL_EVENT_SYNC));
    // The streams of another context go on.
    ok!(device::aclrtCreateContext(&mut other, 0));
    let (waiting, free) = (stream(), stream());
    ok!(event::aclrtStreamWaitEvent(waiting, event));
    ok!(device::aclrtSetCurrentContext(before));
    fails!(ACL_ERROR_RT_WAIT_TIMEOUT, "takes no more work", event::aclrtRecordEvent(event, stopped));
    ok!(device::aclrtSetCurrentContext(other));
    let code = call!(stream::aclrtSynchronizeStreamWithTimeout(waiting, 30));
    assert_eq!(code, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "the stream still waits");
    ok!(event::aclrtRecordEvent(event, free));
    synchronize(waiting);
    held.open();
}

#[test]
fn the_system_parameters_of_a_context_end_with_it() {
    let _world = world();
    let opt = aclSysParamOpt::ACL_OPT_DETERMINISTIC;
    ok!(device::aclrtCtxSetSysParamOpt(opt, 1));
    let mut value = 9;
    ok!(device::aclrtCtxGetSysParamOpt(opt, &mut value));
    assert_eq!(value, 1);
    // The next default context of the device has the same handle.
    ok!(device::aclrtResetDeviceForce(0));
    ok!(device::aclrtSetDevice(0));
    fails!(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, "not set", device::aclrtCtxGetSysParamOpt(opt, &mut value));
}

#[test]
fn a_limit_of_operators_goes_in_steps_and_is_answered() {
    let _world = world();
    let (mut step, mut limit, mut longest) = (0, 0, 0);
    ok!(process::aclrtGetOpTimeOutInterval(&mut step));
    assert!(step > 0);
    ok!(process::aclrtGetOpExecuteTimeout(&mut longest));
    let mut actual = 0;
    ok!(process::aclrtSetOpExecuteTimeOutV2(step + 1, &mut actual));
    assert_eq!(actual, 2 * step);
    ok!(process::aclrtGetOpExecuteTimeout(&mut limit));
    assert_eq!(u64::from(limit) * 1000, 2 * step);
    ok!(process::aclrtSetOpExecuteTimeOutWithMs(1));
    ok!(process::aclrtGetOpExecuteTimeout(&mut limit));
    assert_eq!(u64::from(limit) * 1000, step, "a limit is rounded up");
    ok!(process::aclrtSetOpExecuteTimeOut(u32::MAX));
    ok!(process::aclrtGetOpExecuteTimeout(&mut limit));
    assert_eq!(limit, longest);
    ok!(process::aclrtSetOpExecuteTimeOut(1));
    ok!(process::aclrtSetOpExecuteTimeOutV2(0, &mut actual));
    assert_eq!(actual, u64::from(longest) * 1000, "0 stands for the longest");
}

#[test]
fn devices_have_numbers_for_life_that_tell_them_apart() {
    let _world = world();
    let uuid = |device| {
        let mut uuid = aclrtUuid { bytes: [0; 16] };
        ok!(device::aclrtDeviceGetUuid(device, &mut uuid));
        uuid.bytes
    };
    assert_ne!(uuid(0), uuid(1));
    assert_eq!(uuid(1), uuid(1));
    let mut none = aclrtUuid { bytes: [0; 16] };
    fails!(ACL_ERROR_RT_INVALID_DEVICEID, "99", device::aclrtDeviceGetUuid(99, &mut none));
    assert_eq!(none.bytes, [0; 16]);
}

#[test]
fn a_parameter_of_the_process_has_a_default_and_one_of_a_context_none() {
    let _world = world();
    let (deterministic, mut value) = (aclSysParamOpt::ACL_OPT_DETERMINISTIC, 9);
    ok!(device::aclrtGetSysParamOpt(deterministic, &mut value));
    assert_eq!(value, 0);
    let code = ACL_ERROR_RT_SYSPARAMOPT_NOT_SET;
    fails!(code, "not set", device::aclrtCtxGetSysParamOpt(deterministic, &mut value));
    for kept in [2, 1, 0] {
        ok!(device::aclrtSetSysParamOpt(deterministic, kept));
        ok!(device::aclrtGetSysParamOpt(deterministic, &mut value));
        assert_eq!(value, kept);
    }
    let code = ACL_ERROR_RT_PARAM_INVALID;
    fails!(code, "4 is no value", device::aclrtSetSysParamOpt(deterministic, 4));
    let other = aclSysParamOpt::ACL_OPT_ENABLE_DEBUG_KERNEL;
    fails!(code, "2 is no value", device::aclrtSetSysParamOpt(other, 2));
}

#[test]
fn a_stream_is_created_in_a_context_that_stops_and_has_lost_its_default_stream() {
    let _world = world();
    let mut default = aclrtStream::NULL;
    ok!(stream::aclrtCtxGetCurrentDefaultStream(&mut default));
    let stopping = stream();
    ok!(stream::aclrtDestroyStream(default));
    ok!(stream::aclrtSetStreamFailureMode(stopping, ACL_STOP_ON_FAILURE.into()));
    let later = stream();
    fails!(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "taken back", stream::aclrtSetStreamFailureMode(later, 0));
    assert_eq!(ascendcl_sim::control::live().streams, 2);
}

/// A kernel of another product runs on none of the simulator's devices.
#[test]
fn what_is_compiled_for_the_own_system_on_chip_is_compatible() {
    let _world = world();
    let own = string(call!(base::aclrtGetSocName()));
    for (name, compatible) in [(own.as_str(), 1), ("Ascend910B1", 0)] {
        let mut answer = 7;
        ok!(device::aclrtCheckArchCompatibility(c(name).as_ptr(), &mut answer));
        assert_eq!(answer, compatible, "{name}");
    }
    let mut answer = 7;
    let refused = ACL_ERROR_RT_PARAM_INVALID;
    fails!(refused, "no name", device::aclrtCheckArchCompatibility(std::ptr::null(), &mut answer));
    fails!(refused, "no place", device::aclrtCheckArchCompatibility(c(&own).as_ptr(), std::ptr::null_mut()));
    assert_eq!(answer, 7);
}
