//! Events that link captured work with streams outside of it.

use crate::capture::{begin, end};
use crate::support::*;
use crate::world::*;
use ascendcl_sys::constants::*;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

fn record_outward(event: aclrtEvent, stream: aclrtStream) {
    ok!(event::aclrtRecordEventWithFlag(event, stream, ACL_EVENT_RECORD_EXTERNAL));
}

fn wait_outward(stream: aclrtStream, event: aclrtEvent) {
    ok!(event::aclrtStreamWaitEventWithFlag(stream, event, 0, ACL_EVENT_WAIT_EXTERNAL));
}

fn run(instance: aclmdlRI, stream: aclrtStream) {
    ok!(model_instance::aclmdlRIExecuteAsync(instance, stream));
}

/// Counts its runs.
fn counter(stream: aclrtStream) -> Arc<AtomicU32> {
    let count = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&count);
    launch_each(stream, move || {
        counted.fetch_add(1, SeqCst);
    });
    count
}

#[test]
fn a_replay_waits_for_what_a_stream_outside_has_recorded() {
    let _world = world();
    let (captured, held, event) = (stream(), Held::elsewhere(), event());
    begin(captured);
    wait_outward(captured, event);
    let count = counter(captured);
    let instance = end(captured);
    // Nothing was recorded: an event of its kind counts as complete.
    run(instance, captured);
    synchronize(captured);
    assert_eq!(count.load(SeqCst), 1);
    let outside = stream();
    ok!(event::aclrtStreamWaitEvent(outside, held.event));
    ok!(event::aclrtRecordEvent(event, outside));
    run(instance, captured);
    let code = call!(stream::aclrtSynchronizeStreamWithTimeout(captured, 100));
    assert_eq!((code, count.load(SeqCst)), (ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, 1), "the record is still to come");
    held.open();
    synchronize(captured);
    assert_eq!(count.load(SeqCst), 2);
}

#[test]
fn a_stream_outside_waits_for_the_replay_that_was_queued_before() {
    let _world = world();
    let (captured, outside, held, event) = (stream(), stream(), Held::elsewhere(), event());
    begin(captured);
    let count = counter(captured);
    record_outward(event, captured);
    let instance = end(captured);
    for replay in 1..=2 {
        run(instance, captured);
        ok!(event::aclrtStreamWaitEvent(outside, event));
        synchronize(outside);
        assert_eq!(count.load(SeqCst), replay);
    }
    // The wait is for the newest replay that was queued, even if that has not begun.
    ok!(event::aclrtStreamWaitEvent(captured, held.event));
    run(instance, captured);
    ok!(event::aclrtStreamWaitEvent(outside, event));
    let mut status = aclrtEventRecordedStatus(9);
    ok!(event::aclrtQueryEventStatus(event, &mut status));
    assert_eq!(status, aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_NOT_READY);
    assert_eq!(call!(stream::aclrtSynchronizeStreamWithTimeout(outside, 100)), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    held.open();
    synchronize(outside);
    assert_eq!(count.load(SeqCst), 3);
}

#[test]
fn one_graph_waits_for_another() {
    let _world = world();
    let (first, second, held, event) = (stream(), stream(), Held::elsewhere(), event());
    begin(first);
    let count = counter(first);
    record_outward(event, first);
    let records = end(first);
    begin(second);
    wait_outward(second, event);
    let (seen, counted) = (Arc::new(AtomicU32::new(9)), Arc::clone(&count));
    let look = Arc::clone(&seen);
    launch_each(second, move || look.store(counted.load(SeqCst), SeqCst));
    let waits = end(second);
    ok!(event::aclrtStreamWaitEvent(first, held.event));
    run(records, first);
    run(waits, second);
    held.open();
    synchronize(second);
    assert_eq!(seen.load(SeqCst), 1, "the second graph ran behind the first");
}

#[test]
fn external_events_belong_to_captures_and_to_one_kind_of_event() {
    let _world = world();
    let (named, wanted) = (stream(), event());
    let code = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    let (record, wait) = (ACL_EVENT_RECORD_EXTERNAL, ACL_EVENT_WAIT_EXTERNAL);
    fails!(code, "while a stream is captured", event::aclrtRecordEventWithFlag(wanted, named, record));
    fails!(code, "while a stream is captured", event::aclrtStreamWaitEventWithFlag(named, wanted, 0, wait));
    let (mut plain, mut timed) = (aclrtEvent::NULL, aclrtEvent::NULL);
    ok!(event::aclrtCreateEvent(&mut plain));
    ok!(event::aclrtCreateEventExWithFlag(&mut timed, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
    begin(named);
    for wrong in [plain, timed] {
        fails!(code, "ACL_EVENT_SYNC alone", event::aclrtRecordEventWithFlag(wrong, named, record));
        fails!(code, "ACL_EVENT_SYNC alone", event::aclrtStreamWaitEventWithFlag(named, wrong, 0, wait));
    }
    record_outward(wanted, named);
    // The capture is whole.
    end(named);
}

/// The vendor's example passes -1, which its library refuses.
#[test]
fn an_external_wait_has_no_time_limit() {
    let _world = world();
    let (captured, event) = (stream(), event());
    let wait = ACL_EVENT_WAIT_EXTERNAL;
    begin(captured);
    ok!(event::aclrtStreamWaitEventWithFlag(captured, event, 0, wait));
    for limit in [1, u32::MAX] {
        let code = ACL_ERROR_INVALID_PARAM;
        fails!(code, "no time limit", event::aclrtStreamWaitEventWithFlag(captured, event, limit, wait));
    }
    end(captured);
}

/// The library takes the wait for an event that a stream has recorded; the checker finds it (`findings`).
#[test]
fn an_event_that_was_recorded_is_recorded_for_streams_outside_by_no_capture() {
    let _world = world();
    let (captured, outside, code) = (stream(), stream(), ACL_ERROR_RT_PARAM_INVALID);
    let (record, wait) = (ACL_EVENT_RECORD_EXTERNAL, ACL_EVENT_WAIT_EXTERNAL);
    let (outer, inner, right) = (event(), event(), event());
    ok!(event::aclrtRecordEvent(outer, outside));
    begin(captured);
    ok!(event::aclrtRecordEvent(inner, captured));
    for recorded in [outer, inner] {
        fails!(code, "recorded by aclrtRecordEvent", event::aclrtRecordEventWithFlag(recorded, captured, record));
    }
    wait_outward(captured, outer);
    fails!(code, "recorded by aclrtRecordEvent", event::aclrtStreamWaitEventWithFlag(captured, inner, 0, wait));
    // In the vendor's order the first use is an external one.
    wait_outward(captured, right);
    end(captured);
    ok!(event::aclrtRecordEvent(right, outside));
    begin(captured);
    wait_outward(captured, right);
    end(captured);
}

#[test]
fn a_replay_that_is_thrown_away_holds_nobody_up() {
    let _world = world();
    let (captured, outside, held, event) = (stream(), stream(), Held::elsewhere(), event());
    begin(captured);
    record_outward(event, captured);
    let instance = end(captured);
    ok!(event::aclrtStreamWaitEvent(captured, held.event));
    run(instance, captured);
    ok!(event::aclrtStreamWaitEvent(outside, event));
    ok!(stream::aclrtDestroyStreamForce(captured));
    held.open();
    let code = call!(stream::aclrtSynchronizeStreamWithTimeout(outside, 5000));
    assert_ne!(code, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "{}", text());
}

#[test]
fn a_replay_that_is_refused_records_nothing() {
    let _world = world();
    let (captured, recorded) = (stream(), event());
    begin(captured);
    record_outward(recorded, captured);
    let instance = end(captured);
    ok!(stream::aclrtSetStreamFailureMode(captured, ACL_STOP_ON_FAILURE.into()));
    let mut never = aclrtNotify::NULL;
    ok!(event::aclrtCreateNotify(&mut never, u64::from(ACL_NOTIFY_DEFAULT)));
    ok!(event::aclrtWaitAndResetNotify(never, captured, 1));
    assert_eq!(call!(stream::aclrtSynchronizeStream(captured)), ACL_ERROR_RT_WAIT_TIMEOUT);
    let code = call!(model_instance::aclmdlRIExecuteAsync(instance, captured));
    assert_eq!(code, ACL_ERROR_RT_WAIT_TIMEOUT, "the stream has stopped: {}", text());
    ok!(event::aclrtSynchronizeEvent(recorded));
}
