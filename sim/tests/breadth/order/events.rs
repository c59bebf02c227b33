//! Events.

use super::*;
use ascendcl_sys::constants::*;

fn made(flags: u32) -> aclrtEvent {
    let mut event = aclrtEvent::NULL;
    ok!(event::aclrtCreateEventExWithFlag(&mut event, flags));
    event
}

#[test]
fn an_event_of_several_processes_has_no_reset_no_number_and_no_time() {
    let _world = world();
    let (shared, gone, stream, dead) = (made(ACL_EVENT_IPC), made(ACL_EVENT_IPC), stream(), dead());
    let timed = made(ACL_EVENT_TIME_LINE);
    ok!(event::aclrtDestroyEvent(gone));
    let (mut old, mut waits) = (aclrtEventStatus(0), aclrtEventWaitStatus(0));
    let (old, waits): (*mut aclrtEventStatus, *mut aclrtEventWaitStatus) = (&mut old, &mut waits);
    let (mut ms, mut time, mut id) = (0.0, 0, 0);
    let (ms, time, id): (*mut f32, *mut u64, *mut u32) = (&mut ms, &mut time, &mut id);
    for on in ANYWHERE {
        check([
            row!(on, event::aclrtResetEvent(shared, dead) => DEAD),
            row!(on, event::aclrtResetEvent(shared, stream) => UNSUPPORTED),
            row!(on, event::aclrtResetEvent(gone, stream) => DEAD),
            row!(on, event::aclrtQueryEvent(shared, old) => UNSUPPORTED),
            row!(on, event::aclrtQueryEventWaitStatus(shared, waits) => UNSUPPORTED),
            row!(on, event::aclrtEventElapsedTime(ms, shared, shared) => UNSUPPORTED),
            row!(on, event::aclrtEventElapsedTime(ms, shared, timed) => UNSUPPORTED),
            row!(on, event::aclrtEventElapsedTime(ms, timed, shared) => UNSUPPORTED),
            row!(on, event::aclrtEventElapsedTime(ms, shared, gone) => DEAD),
            row!(on, event::aclrtEventGetTimestamp(shared, time) => UNSUPPORTED),
            row!(on, event::aclrtGetEventId(shared, id) => UNSUPPORTED),
            row!(on, event::aclrtGetEventId(gone, id) => DEAD),
        ]);
    }
}

#[test]
fn the_time_between_two_events_looks_for_a_capture_first() {
    let _world = world();
    let (stream, inner, never, shared) =
        (stream(), made(ACL_EVENT_TIME_LINE), made(ACL_EVENT_TIME_LINE), made(ACL_EVENT_IPC));
    let mut external = aclrtEvent::NULL;
    ok!(event::aclrtCreateEventWithFlag(&mut external, ACL_EVENT_EXTERNAL));
    let mut ms = 0.0;
    let ms: *mut f32 = &mut ms;
    begin(stream);
    ok!(event::aclrtRecordEvent(inner, stream));
    for other in [never, shared, external] {
        check([
            row!(Own, event::aclrtEventElapsedTime(ms, other, inner) => EVENT_CAPTURED),
            row!(Own, event::aclrtEventElapsedTime(ms, inner, other) => EVENT_CAPTURED),
        ]);
    }
    end(stream);
    check([
        row!(Own, event::aclrtEventElapsedTime(ms, never, never) => INTERNAL),
        row!(Own, event::aclrtEventElapsedTime(ms, never, external) => UNSUPPORTED),
        row!(Own, event::aclrtEventElapsedTime(ms, external, never) => UNSUPPORTED),
    ]);
}

/// Records and waits are remembered apart, and before the call looks at the context.
#[test]
fn an_event_keeps_the_kind_of_its_first_record_and_that_of_its_first_wait() {
    let _world = world();
    let (record, wait) = (ACL_EVENT_RECORD_EXTERNAL, ACL_EVENT_WAIT_EXTERNAL);
    let (captured, outside, dead) = (stream(), stream(), dead());
    let (recorded, awaited, sent, taken, tried) = (event(), event(), event(), event(), event());
    let timed = made(ACL_EVENT_TIME_LINE);
    ok!(event::aclrtRecordEvent(recorded, outside));
    ok!(event::aclrtStreamWaitEvent(outside, awaited));
    begin(captured);
    check([
        row!(Own, event::aclrtStreamWaitEventWithFlag(captured, recorded, 0, wait) => 0),
        row!(Own, event::aclrtRecordEventWithFlag(sent, captured, record) => 0),
        row!(Own, event::aclrtStreamWaitEventWithFlag(captured, taken, 0, wait) => 0),
        row!(Nowhere, event::aclrtRecordEventWithFlag(tried, captured, record) => NO_CONTEXT),
        row!(Nowhere, event::aclrtStreamWaitEventWithFlag(captured, tried, 0, wait) => NO_CONTEXT),
    ]);
    for on in ANYWHERE {
        check([
            row!(on, event::aclrtRecordEventWithFlag(timed, captured, record) => UNSUPPORTED),
            row!(on, event::aclrtStreamWaitEventWithFlag(captured, timed, 0, wait) => UNSUPPORTED),
            row!(on, event::aclrtRecordEventWithFlag(recorded, dead, record) => DEAD),
            row!(on, event::aclrtRecordEventWithFlag(recorded, captured, record) => REFUSED),
            row!(on, event::aclrtStreamWaitEventWithFlag(captured, awaited, 0, wait) => REFUSED),
            row!(on, event::aclrtRecordEvent(sent, dead) => DEAD),
            row!(on, event::aclrtRecordEvent(sent, outside) => REFUSED),
            row!(on, event::aclrtRecordEventWithFlag(sent, outside, 0) => REFUSED),
            row!(on, event::aclrtStreamWaitEvent(outside, taken) => REFUSED),
            row!(on, event::aclrtStreamWaitEventWithTimeout(outside, taken, 1) => REFUSED),
            // What was refused for its context was remembered.
            row!(on, event::aclrtRecordEvent(tried, outside) => REFUSED),
            row!(on, event::aclrtStreamWaitEvent(outside, tried) => REFUSED),
        ]);
    }
    check([
        row!(Own, event::aclrtRecordEvent(taken, outside) => 0),
        row!(Own, event::aclrtStreamWaitEvent(outside, sent) => 0),
        row!(Nowhere, event::aclrtRecordEvent(taken, outside) => NO_CONTEXT),
        row!(Other, event::aclrtRecordEvent(taken, outside) => OTHER_CONTEXT),
    ]);
    end(captured);
}
