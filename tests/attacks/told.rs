//! The library reports a failure of work to one wait only. Each waiter for that work gets the failure once.

use super::{fail, finish, in_context, inside, set};
use crate::common::alone;
use ascendcl::{Brand, Current, Error, Failed, Pending, Thread, stream::Payload, stream::StreamOps};
use ascendcl_macros::proves;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, mpsc};
use std::thread;
use std::time::Duration;

const FAILED: i32 = 507_015;

/// The first wait reports that work failed, and the second wait returns the buffers.
#[track_caller]
fn told_once<C: Brand, T: Payload>(current: &Current<C>, work: Pending<C, T>) -> T {
    let Err(Failed { error, value: work }) = work.wait(current) else { panic!("the failure was not told") };
    assert_eq!(error.code().map(ascendcl::error::Code::number), Some(FAILED), "{error}");
    match work.wait(current) {
        Ok(payload) => payload,
        Err(failed) => panic!("told twice: {}", failed.error),
    }
}

/// The first wait for a stream reports that work failed.
const FIRST_WAIT_FAILS: &str =
    "aclrtSynchronizeStream#1=after:507015, aclrtSynchronizeStreamWithTimeout#1=after:507015";

#[proves(ERR_02)]
#[test]
fn each_of_two_waits_is_told_of_a_failure_that_the_library_tells_once() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        fail(FIRST_WAIT_FAILS);
        let (first, second) = (set(current, &stream, 1), set(current, &stream, 2));
        drop(told_once(current, first));
        drop(told_once(current, second));
        // What is queued afterwards has nothing to do with it.
        drop(set(current, &stream, 3).wait(current).unwrap());
    });
    alone.assert_nothing_lives();
}

#[proves(ERR_02)]
#[test]
fn a_failure_reaches_work_that_was_joined_split_mapped_or_used_again() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        fail(FIRST_WAIT_FAILS);
        let (one, two, three) = (set(current, &stream, 1), set(current, &stream, 2), set(current, &stream, 3));
        let mapped = set(current, &stream, 4).map(|buffer| buffer.len());
        let joined = one.join(two).unwrap();
        assert_eq!(stream.synchronize(current).unwrap_err().code().unwrap().number(), FAILED);
        // Used again after the failure: what was written before is still not to be relied on.
        let again = stream.copy_to_host(current, three, current.host_buffer(4).unwrap()).unwrap();
        let (first, second) = joined.split();
        drop((told_once(current, first), told_once(current, second), told_once(current, again)));
        let Err(Failed { error, value: mapped }) = mapped.wait(current) else { panic!("not told") };
        assert_eq!(error.code().unwrap().number(), FAILED);
        assert_eq!(mapped.wait(current).unwrap(), 4);
        stream.synchronize(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(ERR_02)]
#[test]
fn waits_for_a_stream_and_for_a_context_are_told_of_a_failure_that_a_pending_heard_of_first() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        fail(FIRST_WAIT_FAILS);
        let (first, second) = (set(current, &stream, 1), set(current, &stream, 2));
        let event = stream.record(current, current.event().unwrap()).unwrap();
        drop(told_once(current, first));
        let told = |result: Result<(), Error>| result.unwrap_err().code().unwrap().number();
        assert_eq!(told(stream.synchronize(current)), FAILED);
        stream.synchronize(current).unwrap();
        assert_eq!(told(current.synchronize()), FAILED);
        current.synchronize().unwrap();
        assert_eq!(told(event.synchronize(current)), FAILED);
        event.synchronize(current).unwrap();
        drop(told_once(current, second));
        // An event that is recorded after the failure was reported comes after work that is over.
        let event = stream.record(current, event).unwrap();
        event.synchronize(current).unwrap();
        let new = stream.record(current, current.event().unwrap()).unwrap();
        new.synchronize(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(ERR_02)]
#[test]
fn a_failure_that_a_wait_for_the_context_heard_of_is_told_to_the_work() {
    let alone = alone();
    inside(|current| {
        let (one, two) = (current.stream().unwrap(), current.stream().unwrap());
        fail("aclrtSynchronizeDevice#1=after:507015, aclrtSynchronizeDeviceWithTimeout#1=after:507015");
        let (first, second) = (set(current, &one, 1), set(current, &two, 2));
        assert_eq!(current.synchronize().unwrap_err().code().unwrap().number(), FAILED);
        drop((told_once(current, first), told_once(current, second)));
    });
    alone.assert_nothing_lives();
}

#[proves(ERR_02, STREAM_04)]
#[test]
fn a_failure_on_the_first_stream_is_told_to_work_that_other_streams_took_over() {
    let alone = alone();
    inside(|current| {
        let (one, two, three) = (current.stream().unwrap(), current.stream().unwrap(), current.stream().unwrap());
        fail(FIRST_WAIT_FAILS);
        let work = set(current, &one, 1);
        let event = one.record(current, current.event().unwrap()).unwrap();
        let work = two.adopt_after(current, work, &event).unwrap();
        let event = two.record(current, event).unwrap();
        let work = three.adopt_after(current, work, &event).unwrap();
        assert_eq!(one.synchronize(current).unwrap_err().code().unwrap().number(), FAILED);
        let work = three.copy_to_host(current, work, current.host_buffer(4).unwrap()).unwrap();
        drop(told_once(current, work));
    });
    alone.assert_nothing_lives();
}

#[proves(ERR_02, STREAM_04)]
#[test]
fn a_failure_that_nobody_was_told_of_is_told_to_work_that_another_stream_took_over() {
    let alone = alone();
    inside(|current| {
        let (one, two) = (current.stream().unwrap(), current.stream().unwrap());
        let work = set(current, &one, 1);
        let event = one.record(current, current.event().unwrap()).unwrap();
        let work = two.adopt_after(current, work, &event).unwrap();
        two.synchronize(current).unwrap();
        // The first stream answers that it is idle a moment after its event.
        let last = set(current, &one, 2);
        while !last.is_complete(current).unwrap() {
            std::thread::yield_now();
        }
        // The library tells it to the next wait, which is for the first stream.
        fail(FIRST_WAIT_FAILS);
        drop(told_once(current, work));
    });
    alone.assert_nothing_lives();
}

#[proves(ERR_02)]
#[test]
fn a_time_that_was_up_is_no_failure_of_work() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let (first, second) = (set(current, &stream, 1), set(current, &stream, 2));
        let (release, held) = mpsc::channel::<()>();
        let slow = stream.launch_host_fn(current, move || held.recv().unwrap()).unwrap();
        let failed = first.wait_within(current, Duration::from_millis(2)).unwrap_err();
        assert!(failed.error.code().unwrap().is_timeout());
        release.send(()).unwrap();
        slow.wait(current).unwrap().into_result().unwrap();
        drop((failed.value.wait(current).unwrap(), second.wait(current).unwrap()));
        stream.synchronize(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(ERR_02)]
#[test]
fn a_future_is_told_of_a_failure_that_another_wait_heard_of() {
    let alone = alone();
    inside(|current| {
        let mut stream = current.stream().unwrap();
        fail(FIRST_WAIT_FAILS);
        let (first, second) = (set(current, &stream, 1), set(current, &stream, 2));
        drop(told_once(current, first));
        let Err(Failed { error, value: work }) = finish(second.into_future(current, &mut stream).unwrap()) else {
            panic!("not told")
        };
        assert_eq!(error.code().unwrap().number(), FAILED);
        drop(finish(work.into_future(current, &mut stream).unwrap()).unwrap());
    });
    alone.assert_nothing_lives();
}

#[proves(ERR_02, COPY_04)]
#[test]
fn a_lending_is_told_of_a_failure_that_a_wait_in_it_heard_of() {
    let alone = alone();
    inside(|current| {
        let mut copy = [0_u8; 4];
        let lent = current.copy_scope(|current, copies| {
            let (stream, device) = (current.stream().unwrap(), current.upload(&[7_u8; 4]).unwrap());
            fail(FIRST_WAIT_FAILS);
            let work = copies.copy_to_host(current, &stream, device, &mut copy).unwrap();
            drop(told_once(current, work));
        });
        assert_eq!(lent.unwrap_err().code().unwrap().number(), FAILED);
    });
    alone.assert_nothing_lives();
}

/// A note of a failure is waited for, but not for ever: a thread that the system stops between the library's answer and
/// its note is not. On a machine that does much else that happens now and then.
#[proves(ERR_02)]
#[test]
fn two_threads_that_wait_at_the_same_time_are_both_told() {
    const ROUNDS: usize = 20;
    let told = AtomicUsize::new(0);
    for _ in 0..ROUNDS {
        let alone = alone();
        in_context(|context, thread| {
            let works = context.enter(thread, |current| {
                let stream = current.stream().unwrap();
                fail(FIRST_WAIT_FAILS);
                [1, 2].map(|value| set(current, &stream, value))
            });
            let together = Barrier::new(2);
            thread::scope(|scope| {
                for work in works.unwrap() {
                    scope.spawn(|| {
                        let mut thread = Thread::new().unwrap();
                        together.wait();
                        let waited = context.enter(&mut thread, |current| work.wait(current).map(drop).is_err());
                        told.fetch_add(waited.unwrap().into(), Ordering::SeqCst);
                    });
                }
            });
        });
        alone.assert_nothing_lives();
    }
    let told = told.load(Ordering::SeqCst);
    assert!(told >= 2 * ROUNDS - 4, "{told} of {} waits were told", 2 * ROUNDS);
}

#[proves(ERR_02, STREAM_04)]
#[test]
fn a_failure_that_was_told_elsewhere_is_told_to_work_that_another_stream_takes_over_afterwards() {
    let alone = alone();
    inside(|current| {
        let (one, two) = (current.stream().unwrap(), current.stream().unwrap());
        fail(FIRST_WAIT_FAILS);
        let work = set(current, &one, 1);
        let event = one.record(current, current.event().unwrap()).unwrap();
        assert_eq!(one.synchronize(current).unwrap_err().code().unwrap().number(), FAILED);
        one.synchronize(current).unwrap();
        drop(told_once(current, two.adopt_after(current, work, &event).unwrap()));
    });
    alone.assert_nothing_lives();
}

#[proves(ERR_02, STREAM_04)]
#[test]
fn a_failure_is_told_to_work_that_was_joined_with_work_of_a_third_stream() {
    let alone = alone();
    inside(|current| {
        let [one, two, three] = [(); 3].map(|()| current.stream().unwrap());
        let taken = |stream: &StreamOps<_>, value| {
            let work = set(current, stream, value);
            let event = stream.record(current, current.event().unwrap()).unwrap();
            two.adopt_after(current, work, &event).unwrap()
        };
        let both = taken(&one, 1).join(taken(&three, 2)).unwrap();
        fail(FIRST_WAIT_FAILS);
        assert_eq!(one.synchronize(current).unwrap_err().code().unwrap().number(), FAILED);
        drop(told_once(current, both));
    });
    alone.assert_nothing_lives();
}

/// The first part of the work failed, the second one was queued on the same stream after that was told.
#[proves(ERR_02, STREAM_04)]
#[test]
fn a_failure_is_told_to_work_that_came_back_to_its_stream_and_left_again() {
    let alone = alone();
    inside(|current| {
        let (one, two) = (current.stream().unwrap(), current.stream().unwrap());
        let goes = |work, from: &StreamOps<_>, to: &StreamOps<_>| {
            let event = from.record(current, current.event().unwrap()).unwrap();
            to.adopt_after(current, work, &event).unwrap()
        };
        let work = goes(set(current, &one, 1), &one, &two);
        fail(FIRST_WAIT_FAILS);
        assert_eq!(one.synchronize(current).unwrap_err().code().unwrap().number(), FAILED);
        one.synchronize(current).unwrap();
        let work = goes(work, &two, &one);
        let (work, _) = one.copy_to_host(current, work, current.host_buffer(4).unwrap()).unwrap().split();
        drop(told_once(current, goes(work, &one, &two)));
    });
    alone.assert_nothing_lives();
}

/// Both parts come from one stream, and each failed by itself.
#[proves(ERR_02, STREAM_04)]
#[test]
fn two_failures_are_told_to_work_whose_parts_left_their_stream_one_after_the_other() {
    let alone = alone();
    inside(|current| {
        let (one, two) = (current.stream().unwrap(), current.stream().unwrap());
        let taken = |value| {
            let work = set(current, &one, value);
            let event = one.record(current, current.event().unwrap()).unwrap();
            two.adopt_after(current, work, &event).unwrap()
        };
        let fails = || {
            fail(FIRST_WAIT_FAILS);
            assert_eq!(one.synchronize(current).unwrap_err().code().unwrap().number(), FAILED);
        };
        let first = taken(1);
        fails();
        let both = first.join(taken(2)).unwrap();
        // Nobody can say yet that the second part is done.
        let (release, held) = mpsc::channel::<()>();
        let slow = one.launch_host_fn(current, move || held.recv().unwrap()).unwrap();
        let Err(Failed { error, value: both }) = both.wait(current) else { panic!("the first was not told") };
        assert_eq!(error.code().unwrap().number(), FAILED);
        release.send(()).unwrap();
        fails();
        drop((told_once(current, both), slow));
    });
    alone.assert_nothing_lives();
}

#[proves(ERR_02, STREAM_16)]
#[test]
fn a_time_that_was_up_takes_no_failure_from_the_work() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        fail(FIRST_WAIT_FAILS);
        let work = set(current, &stream, 1);
        assert_eq!(stream.synchronize(current).unwrap_err().code().unwrap().number(), FAILED);
        let (release, held) = mpsc::channel::<()>();
        let slow = stream.launch_host_fn(current, move || held.recv().unwrap()).unwrap();
        let failed = work.wait_within(current, Duration::from_millis(2)).unwrap_err();
        assert!(failed.error.code().unwrap().is_timeout(), "{}", failed.error);
        release.send(()).unwrap();
        slow.wait(current).unwrap().into_result().unwrap();
        drop(told_once(current, failed.value));
    });
    alone.assert_nothing_lives();
}

#[proves(ERR_02)]
#[test]
fn a_failure_is_told_to_work_that_writes_once_more_what_had_failed() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        fail(FIRST_WAIT_FAILS);
        let (one, two) = (set(current, &stream, 1), set(current, &stream, 2));
        assert_eq!(stream.synchronize(current).unwrap_err().code().unwrap().number(), FAILED);
        let again = stream.set_bytes(current, one, 3).unwrap();
        let copied = stream.copy_to_device(current, current.host_buffer(4).unwrap(), two).unwrap();
        drop((told_once(current, again), told_once(current, copied)));
    });
    alone.assert_nothing_lives();
}

#[proves(ERR_02, STREAM_16)]
#[test]
fn a_time_that_was_up_takes_no_failure_from_a_wait_for_the_stream() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        fail(FIRST_WAIT_FAILS);
        drop(told_once(current, set(current, &stream, 1)));
        let (release, held) = mpsc::channel::<()>();
        let slow = stream.launch_host_fn(current, move || held.recv().unwrap()).unwrap();
        let up = stream.synchronize_within(current, Duration::from_millis(2)).unwrap_err();
        assert!(up.code().unwrap().is_timeout(), "{up}");
        release.send(()).unwrap();
        assert_eq!(stream.synchronize(current).unwrap_err().code().unwrap().number(), FAILED);
        slow.wait(current).unwrap().into_result().unwrap();
    });
    alone.assert_nothing_lives();
}
