//! Events that a field or a list keeps, and that are recorded again there.

use super::common::alone;
use super::order::held_copy;
use super::{fail, hold, inside, nothing_fails, undisturbed};
use crate::common::library;
use ascendcl::event::Recorded;
use ascendcl::{Error, Event, Runtime};
use ascendcl_macros::proves;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

ascendcl::names!(Vision);

#[proves(STREAM_04, EVENT_09)]
#[test]
fn an_event_that_is_recorded_again_moves_and_covers_nothing_when_that_failed_halfway() {
    let alone = alone();
    inside(|current| {
        let [one, two, three] = [(); 3].map(|()| current.stream().unwrap());
        let go = hold(current, &one);
        let (first, mut event) = held_copy(current, &one);
        let [(second, _), (third, _)] = [(); 2].map(|()| held_copy(current, &one));
        let second = three.adopt_after(current, second, &event).unwrap_err();
        assert!(matches!(second.error, Error::NotCovered), "{}", second.error);
        // A refused record leaves the event where it was.
        fail("aclrtRecordEvent#1=107000");
        assert!(two.record_again(current, &mut event).is_err());
        nothing_fails();
        let first = three.adopt_after(current, first, &event).unwrap();
        one.record_again(current, &mut event).unwrap();
        let second = three.adopt_after(current, second.value, &event).unwrap();
        // The library says that it failed, and has moved the event to a point that is reached at once.
        fail("aclrtRecordEvent#1=after:507899");
        assert!(two.record_again(current, &mut event).is_err());
        nothing_fails();
        let third = three.adopt_after(current, third, &event).unwrap_err();
        assert!(matches!(third.error, Error::NotCovered), "{}", third.error);
        assert!(!first.is_complete(current).unwrap() && !second.is_complete(current).unwrap());
        go.send(()).unwrap();
        for copy in [first, second, third.value] {
            assert_eq!(*copy.wait(current).unwrap(), [7; 64]);
        }
    });
    alone.assert_nothing_lives();
}

/// What two parts of a program keep, and exchange.
#[proves(STREAM_04, EVENT_09)]
#[test]
fn events_that_were_swapped_cover_the_work_of_the_stream_that_recorded_them() {
    let alone = alone();
    inside(|current| {
        let [one, two, three] = [(); 3].map(|()| current.stream().unwrap());
        let (go_one, go_two) = (hold(current, &one), hold(current, &two));
        let ((first, mut of_one), (second, mut of_two)) = (held_copy(current, &one), held_copy(current, &two));
        mem::swap(&mut of_one, &mut of_two);
        one.record_again(current, &mut of_one).unwrap();
        // Both mark the first stream now.
        let second = three.adopt_after(current, second, &of_one).unwrap_err();
        assert!(matches!(second.error, Error::NotCovered), "{}", second.error);
        let first = three.adopt_after(current, first, &of_one).unwrap();
        mem::forget(of_two);
        for go in [go_one, go_two] {
            go.send(()).unwrap();
        }
        for copy in [first, second.value] {
            assert_eq!(*copy.wait(current).unwrap(), [7; 64]);
        }
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_09)]
#[test]
fn an_event_of_another_runtime_is_not_recorded_again() {
    let (alone, _books) = undisturbed();
    let [first, second] = [(); 2].map(|()| Runtime::<Vision>::open(library()).unwrap());
    let recorded = |runtime: &Runtime<Vision>| {
        let records = |current: &mut _| {
            let stream = ascendcl::Current::<Vision>::stream(current).unwrap();
            stream.record(current, current.event().unwrap()).unwrap()
        };
        runtime.with(records).unwrap()
    };
    let mut event: Event<Vision, Recorded> = recorded(&first);
    let refused = second.with(|current| current.stream().unwrap().record_again(current, &mut event).unwrap_err());
    assert!(matches!(refused, Ok(Error::WrongContext { .. })), "{refused:?}");
    // On a thread of its own it is recorded again, also after a panic between two records.
    let works = || {
        let panics = |current: &mut ascendcl::Current<Vision>| {
            let stream = current.stream().unwrap();
            stream.record_again(current, &mut event).unwrap();
            panic!("between two records");
        };
        assert!(catch_unwind(AssertUnwindSafe(|| first.with(panics))).is_err());
        first.with(|current| current.stream().unwrap().record_again(current, &mut event).unwrap()).unwrap();
    };
    thread::scope(|scope| scope.spawn(works).join().unwrap());
    first.with(|current| event.synchronize(current).unwrap()).unwrap();
    // The context of the event is gone.
    let mut left = recorded(&first);
    first.close().unwrap();
    let refused = second.with(|current| current.stream().unwrap().record_again(current, &mut left).unwrap_err());
    assert!(matches!(refused, Ok(Error::Gone { .. } | Error::WrongContext { .. })), "{refused:?}");
    second.close().unwrap();
    alone.assert_nothing_lives();
}
