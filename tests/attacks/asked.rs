//! Failures of streams that are not waited for: a wait for work that another stream took over only asks the first stream, and
//! a stream may end before somebody asks.

use super::{fail, in_context, inside, nothing_fails, set};
use crate::common::alone;
use ascendcl::capture::CaptureMode;
use ascendcl::stream::StreamOps;
use ascendcl::{Current, DeviceBuffer, Error, Pending, Scoped, Thread};
use ascendcl_macros::proves;
use std::sync::mpsc::channel;
use std::time::Duration;

const LONG: Duration = Duration::from_secs(20);

fn code(error: &Error) -> Option<i32> {
    error.code().map(ascendcl::error::Code::number)
}

type Work<'c> = Pending<Scoped<'c>, DeviceBuffer<Scoped<'c>, u8>>;

/// Work of `one` that `two` took over. It is over, `two` knows that, and `one` answers that it is idle.
fn taken_over<'c>(current: &Current<Scoped<'c>>, one: &StreamOps<Scoped<'c>>, two: &StreamOps<Scoped<'c>>) -> Work<'c> {
    let work = set(current, one, 1);
    let event = one.record(current, current.event().unwrap()).unwrap();
    let work = two.adopt_after(current, work, &event).unwrap();
    two.synchronize(current).unwrap();
    let last = set(current, one, 2);
    while !last.is_complete(current).unwrap() {
        std::thread::yield_now();
    }
    work
}

/// The stream was idle when it was asked, and got more work before it was waited for.
#[proves(ERR_02, STREAM_04)]
#[test]
fn a_first_stream_that_is_busy_again_is_not_waited_for() {
    let alone = alone();
    inside(|current| {
        let (one, two) = (current.stream().unwrap(), current.stream().unwrap());
        let work = taken_over(current, &one, &two);
        fail("aclrtSynchronizeStreamWithTimeout=507046");
        let buffer = work.wait(current).unwrap_or_else(|failed| panic!("{}", failed.error));
        nothing_fails();
        assert_eq!(buffer.to_vec(current).unwrap(), [1; 4]);
    });
    alone.assert_nothing_lives();
}

#[proves(ERR_02, STREAM_04)]
#[test]
fn a_first_stream_that_does_not_say_how_far_it_is_is_not_waited_for() {
    let alone = alone();
    inside(|current| {
        let (one, two) = (current.stream().unwrap(), current.stream().unwrap());
        let work = taken_over(current, &one, &two);
        fail("aclrtStreamQuery=507899");
        let failed = work.wait(current).map(drop).unwrap_err();
        assert_eq!(code(&failed.error), Some(507_899), "nobody knows whether the work failed: {}", failed.error);
        nothing_fails();
        assert_eq!(failed.value.wait(current).unwrap().to_vec(current).unwrap(), [1; 4]);
    });
    alone.assert_nothing_lives();
}

/// Another thread captures it.
#[proves(ERR_02, STREAM_04)]
#[test]
fn a_first_stream_that_is_captured_is_not_waited_for() {
    let alone = alone();
    in_context(|context, thread| {
        let (begins, begun) = channel::<()>();
        let (release, released) = channel::<()>();
        let (mut one, work) = context
            .enter(thread, |current| {
                let (one, two) = (current.stream().unwrap().without_allocator(), current.stream().unwrap());
                let work = taken_over(current, &one, &two);
                (one, work)
            })
            .unwrap();
        let captures = move || {
            let captured = context.enter(&mut Thread::new().unwrap(), |current| {
                let buffer = current.upload(&[1_u8; 4]).unwrap();
                let graph = one.capture(current, CaptureMode::Relaxed, buffer, |_, _| {
                    begins.send(()).unwrap();
                    released.recv_timeout(LONG).unwrap();
                    Ok(())
                });
                drop(graph.unwrap());
            });
            captured.unwrap();
        };
        std::thread::scope(|threads| {
            let other = threads.spawn(captures);
            begun.recv_timeout(LONG).unwrap();
            let waited = context.enter(thread, |current| work.wait(current).map(drop).map_err(|failed| failed.error));
            release.send(()).unwrap();
            other.join().unwrap();
            waited.unwrap().unwrap();
        });
    });
    alone.assert_nothing_lives();
}

/// The stream is known to be idle and ends by the fast path, whose functions are known by then, before the event behind its
/// work is waited for.
#[proves(ERR_02, STREAM_05)]
#[test]
fn a_failure_that_another_wait_heard_of_is_told_when_its_stream_has_gone() {
    let alone = alone();
    for of_context in [false, true] {
        inside(|current| {
            (0..2).for_each(|_| current.stream().unwrap().destroy(current).unwrap());
            let stream = current.stream().unwrap();
            let kind = if of_context { "Device" } else { "Stream" };
            fail(&format!("aclrtSynchronize{kind}#1=after:507015,aclrtSynchronize{kind}WithTimeout#1=after:507015"));
            drop(set(current, &stream, 1));
            let event = stream.record(current, current.event().unwrap()).unwrap();
            let wait = || if of_context { current.synchronize() } else { stream.synchronize(current) };
            assert_eq!(code(&wait().unwrap_err()), Some(507_015));
            nothing_fails();
            wait().unwrap();
            if let Err(failed) = stream.destroy(current) {
                failed.value.destroy(current).unwrap();
            }
            assert_eq!(code(&event.synchronize(current).unwrap_err()), Some(507_015), "of the context: {of_context}");
        });
    }
    alone.assert_nothing_lives();
}

/// The stream is to be destroyed while its work is under way, and the wait for that hears of the failure.
#[proves(ERR_02, STREAM_05)]
#[test]
fn a_failure_that_the_end_of_a_stream_heard_of_is_told_to_the_waiter_for_its_work() {
    let alone = alone();
    inside(|current| {
        // From then on idle streams are destroyed at once.
        (0..3).for_each(|_| current.stream().unwrap().destroy(current).unwrap());
        let stream = current.stream().unwrap();
        let work = set(current, &stream, 1);
        fail("aclrtSynchronizeStreamWithTimeout#1=after:507015");
        let refused = stream.destroy(current).unwrap_err();
        nothing_fails();
        assert_eq!(code(&refused.error), Some(507_015), "{}", refused.error);
        let failed = work.wait(current).map(drop).unwrap_err();
        assert_eq!(code(&failed.error), Some(507_015), "{}", failed.error);
        refused.value.destroy(current).unwrap();
    });
    alone.assert_nothing_lives();
}

/// Work of two streams has failed, and both are gone. An event tells the failure of its own stream.
#[proves(ERR_02, STREAM_05)]
#[test]
fn each_of_two_events_tells_the_failure_of_its_own_stream_when_both_have_gone() {
    let alone = alone();
    inside(|current| {
        (0..2).for_each(|_| current.stream().unwrap().destroy(current).unwrap());
        let events = [507_015, 507_011].map(|failure| {
            let stream = current.stream().unwrap();
            fail(&format!(
                "aclrtSynchronizeStream#1=after:{failure},aclrtSynchronizeStreamWithTimeout#1=after:{failure}"
            ));
            drop(set(current, &stream, 1));
            let event = stream.record(current, current.event().unwrap()).unwrap();
            assert_eq!(code(&stream.synchronize(current).unwrap_err()), Some(failure));
            nothing_fails();
            stream.synchronize(current).unwrap();
            if let Err(failed) = stream.destroy(current) {
                failed.value.destroy(current).unwrap();
            }
            event
        });
        let told = events.each_ref().map(|event| code(&event.synchronize(current).unwrap_err()));
        assert_eq!(told, [Some(507_015), Some(507_011)]);
    });
    alone.assert_nothing_lives();
}
