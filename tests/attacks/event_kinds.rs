//! Events for one purpose: the library refuses what the types refuse, and takes all that they allow.

use super::{collect, fail, inside, nothing_fails, set, undisturbed, with_device};
use crate::common::{alone, assert_lives, library};
use ascendcl::event::{AllPurpose, EventKind, Progress, Timing, Waiting};
use ascendcl::{Brand, Current, Error, Runtime, Stream};
use ascendcl_macros::proves;
use ascendcl_sim::control;
use ascendcl_sys::types::{aclrtEvent, aclrtStream};
use std::mem;
use std::thread;
use std::time::Duration;

ascendcl::names!(Vision);

/// What the library says of a wait of a stream for such an event, and of the time between two.
fn allowed<C: Brand, K: EventKind + Copy>(current: &Current<C>, kind: K) -> [bool; 2] {
    let (first, second) = (current.stream().unwrap(), current.stream().unwrap());
    let [start, end] = [(); 2].map(|()| first.record(current, current.event_for(kind).unwrap()).unwrap());
    // The host waits for all kinds.
    end.synchronize_within(current, Duration::from_secs(5)).unwrap();
    assert!(start.is_complete(current).unwrap());
    let functions = current.library().as_raw();
    let [start, end] = [start.as_raw(), end.as_raw()].map(aclrtEvent);
    let mut milliseconds = 0.0;
    // SAFETY: the events and the stream are alive and of the current context.
    unsafe {
        let waits = functions.aclrtStreamWaitEvent(aclrtStream(second.as_raw()), start).unwrap();
        let elapsed = functions.aclrtEventElapsedTime(&mut milliseconds, start, end).unwrap();
        [waits == 0, elapsed == 0]
    }
}

#[proves(EVENT_02, EVENT_04)]
#[test]
fn the_library_allows_what_the_kinds_allow() {
    let alone = alone();
    with_device(crate::common::acl(), |device, thread| {
        device
            .with_current(thread, |current| {
                assert_eq!(allowed(current, AllPurpose), [true, true]);
                assert_eq!(allowed(current, Timing), [false, true]);
                // Whether the time of the others is refused is a matter of luck: the types refuse it always.
                assert!(allowed(current, Waiting)[0]);
                assert!(!allowed(current, Progress)[0]);
                // These calls of the library were made to be refused.
                control::take_findings();
            })
            .unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(EVENT_04)]
#[test]
fn times_are_measured_between_events_of_two_kinds() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let start = stream.record(current, current.event_for(Timing).unwrap()).unwrap();
        drop(stream.launch_host_fn(current, || thread::sleep(Duration::from_millis(20))).unwrap());
        let end = stream.record(current, current.event().unwrap()).unwrap();
        assert!(end.milliseconds_since(current, &start).unwrap() >= 19.0);
        assert!(start.milliseconds_since(current, &start).unwrap() <= 0.0);
        let other = current.stream().unwrap().record(current, current.event_for(Timing).unwrap()).unwrap();
        let error = other.milliseconds_since(current, &start).unwrap_err();
        assert!(matches!(error, Error::EventsOfTwoStreams), "{error}");
    });
    alone.assert_nothing_lives();
}

#[proves(EVENT_09, STREAM_04)]
#[test]
fn an_event_for_waits_orders_streams_and_is_recorded_anew() {
    let alone = alone();
    inside(|current| {
        let (first, second) = (current.stream().unwrap(), current.stream().unwrap());
        let mut event = first.record(current, current.event_for(Waiting).unwrap()).unwrap();
        for round in 1..4 {
            drop(first.launch_host_fn(current, || thread::sleep(Duration::from_millis(10))).unwrap());
            let work = set(current, &first, round);
            // An older record does not cover the work.
            let failed = second.adopt_after(current, work, &event).unwrap_err();
            assert!(matches!(failed.error, Error::NotCovered), "{}", failed.error);
            event = first.record(current, event).unwrap();
            let work = second.adopt_after(current, failed.value, &event).unwrap();
            assert_eq!(work.wait(current).unwrap().to_vec(current).unwrap(), [round; 4]);
        }
        event.destroy(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(EVENT_06)]
#[test]
fn forgotten_and_dropped_events_of_all_kinds_are_destroyed() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        mem::forget(stream.record(current, current.event_for(Timing).unwrap()).unwrap());
        mem::forget(current.event_for(Waiting).unwrap());
        drop(stream.record(current, current.event_for(Progress).unwrap()).unwrap());
        drop(current.event_for(AllPurpose).unwrap());
        assert_lives!(events, 4);
        collect(current);
        assert_lives!(events, 2, "those that were dropped are destroyed");
    });
    alone.assert_nothing_lives();
}

#[proves(EVENT_08)]
#[test]
fn a_refused_event_leaves_nothing_and_a_refused_record_gives_it_back() {
    let alone = alone();
    inside(|current| {
        fail("aclrtCreateEventWithFlag=207007");
        let error = current.event_for(Timing).unwrap_err();
        nothing_fails();
        assert!(error.to_string().contains("[EVENT-08]"), "{error}");
        assert_lives!(events, 0);
        let (stream, event) = (current.stream().unwrap(), current.event_for(Timing).unwrap());
        fail("aclrtRecordEvent=107003");
        let failed = stream.record(current, event).unwrap_err();
        nothing_fails();
        stream.record(current, failed.value).unwrap().destroy(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_09)]
#[test]
fn an_event_of_another_runtime_is_not_recorded() {
    let (alone, _books) = undisturbed();
    let [first, second] = [(); 2].map(|()| Runtime::<Vision>::open(library()).unwrap());
    let event = first.with(|current| current.event_for(Timing).unwrap()).unwrap();
    second
        .with(|current| {
            let stream: Stream<Vision> = current.stream().unwrap();
            let failed = stream.record(current, event).unwrap_err();
            assert!(matches!(failed.error, Error::WrongContext { .. }), "{}", failed.error);
        })
        .unwrap();
    first.close().unwrap();
    second.close().unwrap();
    alone.assert_nothing_lives();
}

/// The library refuses a record, and may have moved the event. The next record says where it is.
#[proves(EVENT_04)]
#[test]
fn times_are_measured_again_after_an_event_was_recorded_once_more_behind_a_refusal() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let start = stream.record(current, current.event().unwrap()).unwrap();
        let end = stream.record(current, current.event().unwrap()).unwrap();
        fail("aclrtRecordEvent=107000");
        let refused = stream.record(current, end).unwrap_err();
        nothing_fails();
        let end = refused.value;
        let end = stream.record(current, end).unwrap();
        stream.synchronize(current).unwrap();
        assert!(end.milliseconds_since(current, &start).unwrap() >= 0.0);
    });
    alone.assert_nothing_lives();
}
