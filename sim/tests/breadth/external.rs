//! Events made with `ACL_EVENT_EXTERNAL`: a replay waits for a record that is queued after it, which frameworks use to
//! replace the work of a task group under a replay.

use crate::capture::{Log, begin, end};
use crate::support::*;
use crate::world::*;
use ascendcl_sim::Config;
use ascendcl_sys::constants::*;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;

const SHORT: i32 = 100;
const LATE: i32 = ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;

fn external() -> aclrtEvent {
    let mut event = aclrtEvent::NULL;
    ok!(event::aclrtCreateEventWithFlag(&mut event, ACL_EVENT_EXTERNAL));
    event
}

/// A graph that waits for the event, and resets it.
fn waits(stream: aclrtStream, event: aclrtEvent, log: &Log) -> aclmdlRI {
    begin(stream);
    log.add(stream, 1);
    ok!(event::aclrtStreamWaitEvent(stream, event));
    ok!(event::aclrtResetEvent(event, stream));
    log.add(stream, 2);
    end(stream)
}

fn run(instance: aclmdlRI, stream: aclrtStream) {
    ok!(model_instance::aclmdlRIExecuteAsync(instance, stream));
}

fn is_late(stream: aclrtStream) -> bool {
    call!(stream::aclrtSynchronizeStreamWithTimeout(stream, SHORT)) == LATE
}

#[test]
fn each_replay_waits_for_a_record_of_its_own() {
    let _world = world();
    let (captured, outside, event, log) = (stream(), stream(), external(), Log::default());
    let instance = waits(captured, event, &log);
    for _ in 0..3 {
        run(instance, captured);
        assert!(is_late(captured), "the record is still to come");
        assert_eq!(log.take(), [1]);
        ok!(event::aclrtRecordEvent(event, outside));
        synchronize(captured);
        assert_eq!(log.take(), [2]);
    }
    // A record that came first is kept until a reset.
    ok!(event::aclrtRecordEvent(event, outside));
    synchronize(outside);
    run(instance, captured);
    synchronize(captured);
    assert_eq!(log.take(), [1, 2]);
    ok!(model_instance::aclmdlRIDestroy(instance));
    ok!(event::aclrtDestroyEvent(event));
}

#[test]
fn a_record_that_is_queued_and_has_not_run_outlives_the_reset() {
    let _world = world();
    let (captured, outside, event, log) = (stream(), stream(), external(), Log::default());
    begin(captured);
    ok!(event::aclrtResetEvent(event, captured));
    let resets = end(captured);
    let instance = waits(captured, event, &log);
    let held = Held::elsewhere();
    ok!(event::aclrtStreamWaitEvent(outside, held.event));
    ok!(event::aclrtRecordEvent(event, outside));
    run(resets, captured);
    run(instance, captured);
    assert!(is_late(captured));
    held.open();
    synchronize(captured);
    assert_eq!(log.take(), [1, 2]);
}

#[test]
fn a_replay_records_the_event_where_it_comes_to_it() {
    let _world = world();
    let (captured, outside, event, log) = (stream(), stream(), external(), Log::default());
    begin(captured);
    log.add(captured, 1);
    ok!(event::aclrtRecordEvent(event, captured));
    let records = end(captured);
    ok!(event::aclrtStreamWaitEvent(outside, event));
    log.add(outside, 2);
    assert!(is_late(outside), "a capture records nothing");
    run(records, captured);
    synchronize(outside);
    assert_eq!(log.take(), [1, 2]);
}

#[test]
fn a_replay_whose_event_ends_fails_and_holds_nobody_up() {
    let _world = configured(Config::new().reuse_handles(true));
    let (captured, event, log) = (stream(), external(), Log::default());
    let instance = waits(captured, event, &log);
    run(instance, captured);
    assert!(is_late(captured));
    let ended = event;
    ok!(event::aclrtDestroyEvent(event));
    let code = call!(stream::aclrtSynchronizeStreamWithTimeout(captured, 5000));
    assert!(code != 0 && code != LATE, "{code}: {}", text());
    run(instance, captured);
    let code = call!(stream::aclrtSynchronizeStreamWithTimeout(captured, 5000));
    assert!(code != 0 && code != LATE, "{code}: {}", text());

    // Another event may have its number.
    let (other, event) = (stream(), external());
    assert_eq!(event, ended);
    run(instance, captured);
    let code = call!(stream::aclrtSynchronizeStreamWithTimeout(captured, 5000));
    assert!(code != 0 && code != LATE, "{code}: {}", text());
    let instance = waits(other, event, &log);
    run(instance, other);
    ok!(device::aclrtResetDeviceForce(0));
    ok!(device::aclrtSetDevice(0));
}
