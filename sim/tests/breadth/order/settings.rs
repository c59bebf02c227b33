//! Settings of streams, contexts and devices, two-dimensional copies, values and notifies.

use super::*;
use ascendcl_sys::constants::*;
use core::ffi::c_void;
use core::ptr::null_mut;

const PARAMETER: i32 = ACL_ERROR_INVALID_PARAM;
const NO_DEVICE: i32 = ACL_ERROR_RT_INVALID_DEVICEID;
const NOT_SET: i32 = ACL_ERROR_RT_DEV_SETUP_ERROR;

#[test]
fn the_access_of_one_device_to_another_is_asked_of_two_devices_that_differ() {
    let _world = world();
    let mut can = 0;
    let (can, nowhere): (*mut i32, *mut i32) = (&mut can, null_mut());
    check([
        row!(Own, device::aclrtDeviceCanAccessPeer(nowhere, 0, 0) => PARAMETER),
        row!(Own, device::aclrtDeviceCanAccessPeer(can, -1, -1) => PARAMETER),
        row!(Own, device::aclrtDeviceCanAccessPeer(nowhere, 0, 5) => NO_DEVICE),
        row!(Own, device::aclrtDeviceCanAccessPeer(can, 0, -1) => NO_DEVICE),
        row!(Own, device::aclrtDeviceCanAccessPeer(can, 99, 98) => NO_DEVICE),
        row!(Own, device::aclrtDeviceCanAccessPeer(can, 99, 1) => REFUSED),
        row!(Own, device::aclrtDeviceCanAccessPeer(nowhere, 0, 1) => REFUSED),
        row!(Nowhere, device::aclrtDeviceCanAccessPeer(can, 0, 1) => 0),
    ]);
}

#[test]
fn a_plane_has_pitches_then_a_direction_then_a_stream_then_limits() {
    const UP: aclrtMemcpyKind = aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE;
    const NO_KIND: aclrtMemcpyKind = aclrtMemcpyKind(9);
    let _world = world();
    let (to, from, stream, dead) = (device_memory(64), pinned(&[1; 64]), stream(), dead());
    let from: *const c_void = from;
    for on in ANYWHERE {
        check([
            row!(on, copy::aclrtMemcpy2d(to, 8, from, 8, 9, 1, UP) => PARAMETER),
            row!(on, copy::aclrtMemcpy2d(to, 8, from, 8, 8, 1, NO_KIND) => PARAMETER),
            row!(on, copy::aclrtMemcpy2d(to, 8, from, 8, 8, 5 * 1024 * 1024 + 1, UP) => REFUSED),
            row!(on, copy::aclrtMemcpy2d(to, 5_000_001, from, 5_000_001, 5_000_001, 1, UP) => REFUSED),
            row!(on, copy::aclrtMemcpy2d(to, 5_000_001, from, 5_000_001, 5_000_001, 1, NO_KIND) => PARAMETER),
            row!(on, copy::aclrtMemcpy2dAsync(to, 8, from, 8, 9, 1, UP, dead) => PARAMETER),
            row!(on, copy::aclrtMemcpy2dAsync(to, 5_000_001, from, 5_000_001, 5_000_001, 1, UP, dead) => DEAD),
            row!(on, copy::aclrtMemcpy2dAsync(to, 5_000_001, from, 5_000_001, 5_000_001, 1, UP, stream) => REFUSED),
        ]);
    }
}

#[test]
fn a_value_is_written_without_a_flag_and_a_wait_looks_at_its_limit_first() {
    let _world = world();
    let (block, host, stream, dead) = (device_memory(8), pinned(&[0; 8]), stream(), dead());
    check([
        row!(Own, copy::aclrtValueWrite(null_mut(), 1, 1, dead) => PARAMETER),
        row!(Own, copy::aclrtValueWrite(host, 1, 1, dead) => DEAD),
        row!(Nowhere, copy::aclrtValueWrite(block, 1, 1, stream) => REFUSED),
        row!(Nowhere, copy::aclrtValueWrite(host, 1, 0, stream) => REFUSED),
        row!(Nowhere, copy::aclrtValueWrite(block, 1, 0, stream) => NO_CONTEXT),
        row!(Other, copy::aclrtValueWrite(block, 1, 0, stream) => OTHER_CONTEXT),
        row!(Own, copy::aclrtValueWrite(block, 1, 0, stream) => 0),
        row!(Own, event::aclrtStreamWaitEventWithTimeout(dead, aclrtEvent::NULL, -1) => REFUSED),
        row!(Own, event::aclrtStreamWaitEventWithTimeout(dead, aclrtEvent::NULL, 1) => DEAD),
        row!(Own, event::aclrtStreamWaitEventWithTimeout(stream, aclrtEvent::NULL, 1) => REFUSED),
    ]);
}

#[test]
fn a_notify_for_the_device_alone_is_refused_after_the_context() {
    let _world = world();
    let mut notify = aclrtNotify::NULL;
    let notify: *mut aclrtNotify = &mut notify;
    let own = u64::from(ACL_NOTIFY_DEVICE_USE_ONLY);
    check([
        row!(Nowhere, event::aclrtCreateNotify(notify, 9) => REFUSED),
        row!(Nowhere, event::aclrtCreateNotify(notify, own) => NO_CONTEXT),
        row!(Own, event::aclrtCreateNotify(notify, own) => UNSUPPORTED),
    ]);
}

#[test]
fn a_system_parameter_has_its_value_before_its_context() {
    let _world = world();
    let [deterministic, debug, early] = [
        aclSysParamOpt::ACL_OPT_DETERMINISTIC,
        aclSysParamOpt::ACL_OPT_ENABLE_DEBUG_KERNEL,
        aclSysParamOpt::ACL_OPT_ENABLE_KERNEL_EARLY_START,
    ];
    let mut value = 0;
    let value: *mut i64 = &mut value;
    check([
        row!(Nowhere, device::aclrtCtxSetSysParamOpt(deterministic, 9) => REFUSED),
        row!(Nowhere, device::aclrtCtxSetSysParamOpt(deterministic, 1) => NO_CONTEXT),
        row!(Own, device::aclrtCtxSetSysParamOpt(deterministic, 3) => 0),
        row!(Own, device::aclrtCtxSetSysParamOpt(deterministic, 4) => REFUSED),
        row!(Own, device::aclrtCtxSetSysParamOpt(debug, 2) => REFUSED),
        row!(Own, device::aclrtSetSysParamOpt(deterministic, 3) => 0),
        row!(Own, device::aclrtSetSysParamOpt(early, 1) => 0),
        row!(Nowhere, device::aclrtCtxSetSysParamOpt(early, 9) => NULL),
        row!(Nowhere, device::aclrtCtxGetSysParamOpt(early, value) => NULL),
        row!(Own, device::aclrtCtxSetSysParamOpt(early, 1) => NULL),
    ]);
}

#[test]
fn limits_of_cores_have_a_kind_then_a_device_that_was_set() {
    let _world = world();
    let (stream, kind, no_kind) = (stream(), aclrtDevResLimitType::ACL_RT_DEV_RES_CUBE_CORE, aclrtDevResLimitType(9));
    let mut value = 0;
    let value: *mut u32 = &mut value;
    check([
        row!(Own, device::aclrtSetDeviceResLimit(5, no_kind, 1) => REFUSED),
        row!(Own, device::aclrtGetDeviceResLimit(5, no_kind, value) => REFUSED),
        row!(Own, device::aclrtSetDeviceResLimit(5, kind, 1) => NO_DEVICE),
        row!(Own, device::aclrtSetDeviceResLimit(1, kind, 1) => NOT_SET),
        row!(Own, device::aclrtGetDeviceResLimit(1, kind, value) => NOT_SET),
        row!(Own, device::aclrtResetDeviceResLimit(1) => NOT_SET),
        row!(Own, device::aclrtGetDeviceResLimit(0, kind, value) => 0),
        row!(Nowhere, stream::aclrtSetStreamResLimit(aclrtStream::NULL, no_kind, 1) => REFUSED),
        row!(Nowhere, stream::aclrtGetStreamResLimit(aclrtStream::NULL, no_kind, value) => REFUSED),
        row!(Nowhere, device::aclrtGetResInCurrentThread(no_kind, value) => REFUSED),
        row!(Nowhere, device::aclrtGetResInCurrentThread(kind, value) => NO_CONTEXT),
        row!(Own, stream::aclrtSetStreamResLimit(stream, kind, 3) => 0),
    ]);
    let shared = Anywhere(move || {
        ok!(stream::aclrtUseStreamResInCurrentThread(stream));
        let mut own = 0;
        ok!(device::aclrtGetResInCurrentThread(kind, &mut own));
        own as i32
    });
    assert_eq!(thread::spawn(move || shared.call()).join().unwrap(), 3, "the limit of the stream needs no context");
}

#[test]
fn attributes_of_a_stream_have_their_value_before_a_capture_and_this_before_the_context() {
    use aclrtStreamAttr as A;
    let _world = world();
    let (stream, capturing, dead, none) = (stream(), stream(), dead(), aclrtStream::NULL);
    begin(capturing);
    let [mut zero, mut two] = [0, 2].map(|number| aclrtStreamAttrValue { reserve: [number, 0, 0, 0] });
    let (zero, two): (*mut aclrtStreamAttrValue, *mut aclrtStreamAttrValue) = (&mut zero, &mut two);
    let [overflow, cache, tag, priority] = [
        A::ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK,
        A::ACL_STREAM_ATTR_CACHE_OP_INFO,
        A::ACL_STREAM_ATTR_USER_CUSTOM_TAG,
        A::ACL_STREAM_ATTR_PRIORITY,
    ];
    for on in ANYWHERE {
        check([
            row!(on, stream::aclrtSetStreamAttribute(dead, A(77), zero) => DEAD),
            row!(on, stream::aclrtSetStreamAttribute(capturing, A(77), zero) => REFUSED),
            row!(on, stream::aclrtSetStreamAttribute(capturing, overflow, two) => REFUSED),
            row!(on, stream::aclrtSetStreamAttribute(stream, cache, two) => REFUSED),
            row!(on, stream::aclrtSetStreamAttribute(capturing, overflow, zero) => CAPTURED),
            row!(on, stream::aclrtSetStreamAttribute(capturing, tag, zero) => CAPTURED),
            row!(on, stream::aclrtSetStreamOverflowSwitch(capturing, 1) => CAPTURED),
            row!(on, stream::aclrtSetStreamAttribute(none, priority, zero) => REFUSED),
            row!(on, stream::aclrtGetStreamAttribute(none, priority, zero) => REFUSED),
        ]);
    }
    check([
        row!(Nowhere, stream::aclrtSetStreamAttribute(stream, tag, zero) => NO_CONTEXT),
        row!(Other, stream::aclrtSetStreamAttribute(stream, tag, zero) => OTHER_CONTEXT),
        row!(Own, stream::aclrtSetStreamAttribute(stream, tag, zero) => 0),
        row!(Own, stream::aclrtSetStreamAttribute(none, tag, zero) => 0),
    ]);
    end(capturing);
}

#[test]
fn the_status_of_overflows_has_one_size_and_is_not_asked_of_a_capture() {
    let _world = world();
    let (block, stream, capturing, dead) = (device_memory(128), stream(), stream(), dead());
    begin(capturing);
    for on in ANYWHERE {
        check([
            row!(on, stream::aclrtGetOverflowStatus(block, 65, capturing) => REFUSED),
            row!(on, stream::aclrtGetOverflowStatus(block, 64, capturing) => CAPTURED),
            row!(on, stream::aclrtResetOverflowStatus(capturing) => CAPTURED),
            row!(on, stream::aclrtGetOverflowStatus(block, 128, stream) => REFUSED),
            row!(on, stream::aclrtGetFloatOverflowStatus(null_mut(), 64, dead) => DEAD),
            row!(on, stream::aclrtGetFloatOverflowStatus(null_mut(), 64, capturing) => REFUSED),
            row!(on, stream::aclrtGetFloatOverflowStatus(block, 65, capturing) => REFUSED),
            row!(on, stream::aclrtGetFloatOverflowStatus(block, 64, capturing) => CAPTURED),
            row!(on, stream::aclrtResetFloatOverflowStatus(dead) => DEAD),
            row!(on, stream::aclrtResetFloatOverflowStatus(capturing) => CAPTURED),
        ]);
    }
    check([
        row!(Nowhere, stream::aclrtGetFloatOverflowStatus(block, 64, stream) => NO_CONTEXT),
        row!(Other, stream::aclrtGetFloatOverflowStatus(block, 64, stream) => OTHER_CONTEXT),
        row!(Own, stream::aclrtGetFloatOverflowStatus(block, 64, stream) => 0),
        row!(Nowhere, stream::aclrtResetFloatOverflowStatus(stream) => NO_CONTEXT),
        row!(Own, stream::aclrtResetFloatOverflowStatus(aclrtStream::NULL) => 0),
        row!(Nowhere, stream::aclrtGetOverflowStatus(block, 64, stream) => NO_CONTEXT),
        row!(Other, stream::aclrtResetOverflowStatus(stream) => OTHER_CONTEXT),
        row!(Own, stream::aclrtGetOverflowStatus(block, 64, stream) => 0),
    ]);
    end(capturing);
}

#[test]
fn the_work_of_a_device_is_stopped_within_a_limit_and_its_rates_need_no_device() {
    let _world = world();
    check([
        row!(Own, device::aclrtDeviceTaskAbort(-1, 36 * 60 * 1000 + 1) => REFUSED),
        row!(Own, device::aclrtDeviceTaskAbort(-1, 36 * 60 * 1000) => NO_DEVICE),
        row!(Own, device::aclrtDeviceTaskAbort(0, 36 * 60 * 1000) => UNSUPPORTED),
    ]);
    let mut rates = aclrtUtilizationInfo {
        cubeUtilization: 7,
        vectorUtilization: 7,
        aicpuUtilization: 7,
        memoryUtilization: 7,
        utilizationExtend: null_mut(),
    };
    for (device, expected) in [(0, [0, 0, 0, -1]), (5, [-1; 4]), (-1, [-1; 4])] {
        ok!(device::aclrtGetDeviceUtilizationRate(device, &mut rates));
        let found = [rates.cubeUtilization, rates.vectorUtilization, rates.aicpuUtilization, rates.memoryUtilization];
        assert_eq!(found, expected, "{device}");
    }
    rates.utilizationExtend = bogus();
    assert_eq!(call!(device::aclrtGetDeviceUtilizationRate(0, &mut rates)), PARAMETER);
}

#[test]
fn the_mode_of_a_failure_is_compared_before_the_context_of_its_stream() {
    let _world = world();
    let (going_on, stopping, bound) = (stream(), stream(), flagged(ACL_STREAM_PERSISTENT));
    let mut model = aclmdlRI::NULL;
    ok!(model_instance::aclmdlRIBuildBegin(&mut model, 0));
    ok!(model_instance::aclmdlRIBindStream(model, bound, 0));
    check([
        row!(Nowhere, stream::aclrtSetStreamFailureMode(going_on, 0) => NO_CONTEXT),
        row!(Nowhere, stream::aclrtSetStreamFailureMode(bound, 1) => NO_CONTEXT),
        row!(Other, stream::aclrtSetStreamFailureMode(going_on, 0) => 0),
        row!(Other, stream::aclrtSetStreamFailureMode(going_on, 1) => OTHER_CONTEXT),
        row!(Own, stream::aclrtSetStreamFailureMode(stopping, 1) => 0),
        row!(Other, stream::aclrtSetStreamFailureMode(stopping, 0) => UNSUPPORTED),
        row!(Other, stream::aclrtSetStreamFailureMode(stopping, 1) => 0),
        row!(Other, stream::aclrtSetStreamFailureMode(bound, 0) => UNSUPPORTED),
        row!(Own, stream::aclrtSetStreamFailureMode(bound, 1) => UNSUPPORTED),
    ]);
}

#[test]
fn null_without_a_context_is_no_stream_to_abort_or_to_keep_records_of() {
    let _world = world();
    let records = aclrtStreamAttr::ACL_STREAM_ATTR_CACHE_OP_INFO;
    let mut value = aclrtStreamAttrValue { reserve: [0; 4] };
    let (value, none): (*mut aclrtStreamAttrValue, _) = (&mut value, aclrtStream::NULL);
    check([
        row!(Nowhere, stream::aclrtStreamAbort(none) => REFUSED),
        row!(Own, stream::aclrtStreamAbort(none) => UNSUPPORTED),
        row!(Nowhere, stream::aclrtSetStreamAttribute(none, records, value) => REFUSED),
        row!(Nowhere, stream::aclrtGetStreamAttribute(none, records, value) => REFUSED),
        row!(Own, stream::aclrtSetStreamAttribute(none, records, value) => 0),
    ]);
}
