//! Notifies that the host resets, and the events of several processes in one of them.

use crate::capture::{begin, end};
use crate::support::*;
use crate::world::*;
use ascendcl_sys::constants::*;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use core::ptr::null_mut;
use std::thread::sleep;
use std::time::Duration;

fn notify() -> aclrtNotify {
    let mut notify = aclrtNotify::NULL;
    ok!(event::aclrtCreateNotify(&mut notify, u64::from(ACL_NOTIFY_DEFAULT)));
    notify
}

#[test]
fn a_reset_takes_away_what_nothing_has_waited_for() {
    let _world = world();
    let (named, mut both) = (stream(), [notify(), notify()]);
    for notify in both {
        ok!(event::aclrtRecordNotify(notify, named));
    }
    synchronize(named);
    ok!(event::aclrtNotifyBatchReset(both.as_mut_ptr(), 1));
    ok!(event::aclrtWaitAndResetNotify(both[1], named, 1));
    synchronize(named);
    ok!(event::aclrtWaitAndResetNotify(both[0], named, 1));
    assert_eq!(call!(stream::aclrtSynchronizeStream(named)), ACL_ERROR_RT_WAIT_TIMEOUT, "its record is gone");
}

#[test]
fn a_list_with_a_wrong_notify_resets_nothing() {
    let _world = world();
    let (named, good) = (stream(), notify());
    ok!(event::aclrtRecordNotify(good, named));
    synchronize(named);
    let mut with_null = [good, aclrtNotify::NULL];
    fails!(ACL_ERROR_RT_PARAM_INVALID, "null", event::aclrtNotifyBatchReset(with_null.as_mut_ptr(), 2));
    let mut with_other = [good, aclrtNotify(bogus())];
    fails!(ACL_ERROR_RT_INVALID_HANDLE, "notify", event::aclrtNotifyBatchReset(with_other.as_mut_ptr(), 2));
    ok!(event::aclrtWaitAndResetNotify(good, named, 1));
    synchronize(named);
}

fn shared_event() -> aclrtEvent {
    let mut event = aclrtEvent::NULL;
    ok!(event::aclrtCreateEventExWithFlag(&mut event, ACL_EVENT_IPC));
    event
}

#[test]
fn an_event_for_processes_orders_streams_of_one_process_too() {
    let _world = world();
    let (held, outside, waiting, event) = (Held::elsewhere(), stream(), stream(), shared_event());
    let mut status = aclrtEventRecordedStatus(9);
    ok!(event::aclrtStreamWaitEvent(waiting, event));
    synchronize(waiting);
    ok!(event::aclrtStreamWaitEvent(outside, held.event));
    ok!(event::aclrtRecordEvent(event, outside));
    ok!(event::aclrtStreamWaitEvent(waiting, event));
    ok!(event::aclrtQueryEventStatus(event, &mut status));
    assert_eq!(status, aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_NOT_READY);
    assert_eq!(call!(event::aclrtSynchronizeEventWithTimeout(event, 50)), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
    assert_eq!(call!(stream::aclrtSynchronizeStreamWithTimeout(waiting, 50)), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    held.open();
    synchronize(waiting);
    ok!(event::aclrtSynchronizeEvent(event));
    ok!(event::aclrtQueryEventStatus(event, &mut status));
    assert_eq!(status, aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_COMPLETE);
    ok!(event::aclrtDestroyEvent(event));
    assert_eq!(call!(event::aclrtDestroyEvent(event)), ACL_ERROR_RT_INVALID_HANDLE);
}

#[test]
fn a_discarded_record_of_such_an_event_holds_nobody_up() {
    let _world = world();
    let (held, recording, event) = (Held::elsewhere(), stream(), shared_event());
    ok!(event::aclrtStreamWaitEvent(recording, held.event));
    ok!(event::aclrtRecordEvent(event, recording));
    ok!(stream::aclrtDestroyStreamForce(recording));
    held.open();
    ok!(event::aclrtSynchronizeEventWithTimeout(event, 5000));
}

#[test]
fn only_an_event_for_processes_has_a_handle_and_no_process_opens_its_own() {
    let _world = world();
    let (ordinary, shared) = (event(), shared_event());
    let mut handle = aclrtIpcEventHandle { reserved: [0; 64] };
    let code = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    fails!(code, "ACL_EVENT_IPC", memory::aclrtIpcGetEventHandle(ordinary, &mut handle));
    fails!(ACL_ERROR_INVALID_PARAM, "null", memory::aclrtIpcGetEventHandle(shared, null_mut()));
    ok!(memory::aclrtIpcGetEventHandle(shared, &mut handle));
    let mut opened = aclrtEvent::NULL;
    let own = ACL_ERROR_RT_DRV_INTERNAL_ERROR;
    fails!(own, "exported itself", memory::aclrtIpcOpenEventHandle(handle, &mut opened));
    let nothing = aclrtIpcEventHandle { reserved: [0; 64] };
    fails!(ACL_ERROR_RT_PARAM_INVALID, "no key", memory::aclrtIpcOpenEventHandle(nothing, &mut opened));
    assert!(opened.is_null());
}

#[test]
fn work_of_a_reset_device_that_fails_late_stops_no_stream_of_the_next_context() {
    let _world = world();
    let (old, never) = (stream(), notify());
    ok!(stream::aclrtSetStreamFailureMode(old, ACL_STOP_ON_FAILURE.into()));
    begin(old);
    ok!(event::aclrtWaitAndResetNotify(never, old, 1));
    let graph = end(old);
    ok!(model_instance::aclmdlRIExecuteAsync(graph, old));
    sleep(Duration::from_millis(100));
    ok!(device::aclrtResetDeviceForce(0));
    // Measured: the next default context of a device has the same handle.
    ok!(device::aclrtSetDevice(0));
    let next = stream();
    synchronize(next);
    // The wait of the replay fails meanwhile.
    sleep(Duration::from_millis(1500));
    let block = device_memory(4);
    ok!(copy::aclrtMemsetAsync(block, 4, 0, 4, next));
    synchronize(next);
}
