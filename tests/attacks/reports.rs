//! Reports of the library that the crate could lose: it gives each of them once.

use super::common::plans::try_next;
use super::leaving::{resets_device, sets_device};
use super::{collect, fail, finish, inside, nothing_fails, set, undisturbed};
use crate::common::{acl, alone, assert_lives, library};
use ascendcl::{Brand, Current, Error, Failed, Runtime, ScopeError, Setup, Stream, Thread};
use ascendcl::{allocator::PoolAllocator, capture::CaptureMode, runtime::sweep};
use ascendcl_macros::proves;
use ascendcl_sim::control;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::thread::{self, yield_now};
use std::time::{Duration, Instant};

ascendcl::names!(Reported);

const FAILED: i32 = 507_015;

/// The first wait for a stream reports that work failed.
const FIRST_WAIT_FAILS: &str = "aclrtSynchronizeStreamWithTimeout#1=after:507015";

/// Each of its calls asks first what is current.
fn verified() -> Runtime<Reported> {
    Runtime::open(Setup::builder().library(library()).device(0).verify_current(true).build()).unwrap()
}

fn is_the_failure(error: &Error) -> bool {
    error.code().is_some_and(|code| code.number() == FAILED)
}

/// A wait that fails makes its checks again before it asks once more, and then the library does not say what is current.
#[proves(CTX_08, ERR_02)]
#[test]
fn a_failure_is_told_by_a_wait_whose_next_check_is_refused() {
    let alone = alone();
    let runtime = verified();
    let waits = runtime.with(|current| {
        let stream = current.stream().unwrap();
        let work = stream.set_bytes(current, current.device_buffer::<u8>(4).unwrap(), 1).unwrap();
        fail(&format!("{FIRST_WAIT_FAILS},aclrtGetCurrentContext#2+=507899"));
        let Err(Failed { error, value }) = work.wait(current) else { panic!("the failure was not told") };
        nothing_fails();
        assert!(is_the_failure(&error), "{error}");
        drop(value.wait(current).unwrap());
    });
    waits.unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(ERR_02)]
#[test]
fn a_failure_is_told_by_events_and_by_the_context_after_its_stream_was_destroyed() {
    for is_collected in [false, true] {
        let alone = alone();
        inside(|current| {
            let (stream, other) = (current.stream().unwrap(), current.stream().unwrap());
            fail(FIRST_WAIT_FAILS);
            drop(set(current, &stream, 1));
            let [early, late] = [(); 2].map(|()| stream.record(current, current.event().unwrap()).unwrap());
            let elsewhere = other.record(current, current.event().unwrap()).unwrap();
            assert!(is_the_failure(&stream.synchronize(current).unwrap_err()));
            if is_collected {
                drop(stream);
                assert!(current.collect().is_empty());
            } else {
                stream.destroy(current).map_err(Error::from).unwrap();
            }
            // Another stream that fails and ends does not take their place.
            fail(FIRST_WAIT_FAILS);
            let another = current.stream().unwrap();
            drop(set(current, &another, 1));
            another.synchronize(current).unwrap_err();
            another.destroy(current).map_err(Error::from).unwrap();
            nothing_fails();
            for event in [&early, &late] {
                let told = event.synchronize(current).unwrap_err();
                assert!(matches!(told, Error::WorkFailed { code } if code.number() == FAILED), "{told}");
                event.synchronize(current).unwrap();
            }
            elsewhere.synchronize(current).unwrap();
            let told = current.synchronize().unwrap_err();
            assert!(matches!(told, Error::WorkFailed { code } if code.number() == FAILED), "{told}");
            current.synchronize().unwrap();
        });
        alone.assert_nothing_lives();
    }
}

/// Until then the stream that has taken work over does not ask the one before, which may have more to do.
fn until_idle<C: Brand>(current: &Current<C>, stream: &Stream<C>) {
    while !stream.is_complete(current).unwrap() {
        yield_now();
    }
}

/// The stream that has taken the work over asks the one before.
#[proves(ERR_02)]
#[test]
fn work_that_was_taken_over_is_not_given_back_while_the_library_does_not_say_whether_it_failed() {
    let alone = alone();
    inside(|current| {
        let (first, second) = (current.stream().unwrap(), current.stream().unwrap());
        let work = set(current, &first, 1);
        let event = first.record(current, current.event().unwrap()).unwrap();
        let work = second.adopt_after(current, work, &event).unwrap();
        until_idle(current, &first);
        fail("aclrtStreamQuery#1=507899,aclrtSynchronizeStreamWithTimeout#2=after:507015");
        let Err(Failed { error, value: work }) = work.wait(current) else { panic!("nobody knows whether it failed") };
        assert!(matches!(error, Error::Vendor(_)) && !is_the_failure(&error), "{error}");
        let Err(Failed { error, value: work }) = work.wait(current) else { panic!("the failure was not told") };
        assert!(is_the_failure(&error), "{error}");
        drop(work.wait(current).unwrap());
        nothing_fails();
    });
    alone.assert_nothing_lives();
}

/// A check of the crate refuses to ask, because the library does not say what is current.
#[proves(CTX_08, ERR_02)]
#[test]
fn work_that_was_taken_over_is_not_given_back_while_the_crate_cannot_ask_whether_it_failed() {
    let alone = alone();
    let runtime = verified();
    let mut told = 0;
    for first_refused in 1..10 {
        let waits = runtime.with(|current| {
            let (first, second) = (current.stream().unwrap(), current.stream().unwrap());
            let work = first.set_bytes(current, current.device_buffer::<u8>(4).unwrap(), 1).unwrap();
            let event = first.record(current, current.event().unwrap()).unwrap();
            let work = second.adopt_after(current, work, &event).unwrap();
            until_idle(current, &first);
            let refused = format!("aclrtGetCurrentContext#{first_refused}+=507899");
            fail(&format!("{refused},aclrtSynchronizeStreamWithTimeout#2=after:507015"));
            let Err(Failed { error, value: work }) = work.wait(current) else { panic!("it has failed") };
            told += usize::from(is_the_failure(&error));
            if is_the_failure(&error) {
                nothing_fails();
                return drop(work.wait(current).unwrap());
            }
            fail("aclrtSynchronizeStreamWithTimeout#1=after:507015");
            second.synchronize(current).unwrap_err();
            nothing_fails();
            drop(work);
        });
        waits.unwrap();
    }
    assert!((1..9).contains(&told), "{told} of nine waits were told of the failure");
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(EVENT_08)]
#[test]
fn a_stream_that_failed_keeps_no_event_of_a_future_after_its_end() {
    let alone = alone();
    inside(|current| {
        for _ in 0..4 {
            let mut stream = current.stream().unwrap();
            fail(FIRST_WAIT_FAILS);
            let work = set(current, &stream, 1);
            let failed = finish(work.into_future(current, &mut stream).unwrap());
            assert!(failed.is_err());
            drop(failed);
            nothing_fails();
            stream.destroy(current).map_err(Error::from).unwrap();
            // The thread that watches futures may have the event for a moment.
            let until = Instant::now() + Duration::from_secs(10);
            while control::live().events > 0 && Instant::now() < until {
                collect(current);
            }
            assert_lives!(events, 0);
        }
    });
    alone.assert_nothing_lives();
}

/// Closing would take down what a scope has left, and run code of the program in its context: in the midst of another one,
/// whose `Current` that code may know.
#[proves(STREAM_09, MEM_11)]
#[test]
fn a_library_with_contexts_that_are_left_is_not_closed_inside_of_another_context() {
    let alone = alone();
    let runtime = Runtime::<Reported>::open(Setup::builder().library(library()).device(0).build()).unwrap();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 1).unwrap();
    fail("aclrtDestroyContext#1=507899");
    let left = device.with_current(&mut thread, |_| ());
    assert!(matches!(left, Err(ScopeError::Teardown { .. })), "{left:?}");
    nothing_fails();
    drop((device, thread));
    let Err(Failed { error, value: acl }) = runtime.with(|_| acl.close()).unwrap() else { panic!("it was closed") };
    assert_eq!(
        error.to_string(),
        "device 1 cannot be reset, because a context (this thread is inside of another context: close the library outside of \
         it) could not be released: try again, or recover the device [DEV-10]"
    );
    acl.close().unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

/// Destroying a stream ends its registration first. A check of the crate refuses that, and again.
#[proves(ALLOC_12, CTX_08)]
#[test]
fn a_stream_that_the_crate_refused_to_destroy_has_its_allocator_for_certain() {
    let alone = alone();
    let runtime = verified();
    let mut refused = 0;
    for first in 1..12 {
        let ends = runtime.with(|current| {
            let pool = PoolAllocator::new(current, 4096).unwrap();
            let stream = current.stream().unwrap().register(current, pool).unwrap();
            // The last ones are no calls of it.
            try_next(&format!("aclrtGetCurrentContext#{first}+=507899"));
            let destroyed = stream.destroy(current);
            nothing_fails();
            let Err(failed) = destroyed else { return };
            refused += 1;
            let buffer = current.device_buffer::<u8>(4).unwrap();
            drop(failed.value.set_bytes(current, buffer, 1).unwrap().wait(current).unwrap());
            failed.value.destroy(current).map_err(Error::from).unwrap();
        });
        ends.unwrap();
    }
    assert!(refused > 2, "the checks of {refused} calls were refused");
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

/// The library refuses a wait for the context while a stream is captured. It says nothing about work then.
#[proves(ERR_02, GRAPH_04)]
#[test]
fn a_wait_that_a_capture_refuses_leaves_a_failure_for_the_next_one() {
    for is_destroyed in [false, true] {
        let alone = alone();
        let runtime = Runtime::<Reported>::open(Setup::builder().library(library()).device(0).build()).unwrap();
        let told = runtime.with(|current| {
            let (stream, mut other) = (current.stream().unwrap(), current.stream().unwrap().without_allocator());
            fail(FIRST_WAIT_FAILS);
            drop(stream.set_bytes(current, current.device_buffer::<u8>(4).unwrap(), 1).unwrap());
            assert!(is_the_failure(&stream.synchronize(current).unwrap_err()));
            nothing_fails();
            let kept = if is_destroyed { stream.destroy(current).map(|()| None).unwrap() } else { Some(stream) };
            let graph = other.capture(current, CaptureMode::Relaxed, (), |_, ()| {
                let waits = || runtime.with(|current| current.synchronize().unwrap_err()).unwrap();
                let refused = thread::scope(|scope| scope.spawn(waits).join().unwrap());
                assert_eq!(refused.code().unwrap().number(), 107_027);
                Ok(())
            });
            drop((graph.unwrap(), kept));
            let told = current.synchronize().unwrap_err();
            current.synchronize().unwrap();
            told
        });
        let told = told.unwrap();
        assert!(matches!(told, Error::WorkFailed { code } if code.number() == FAILED), "{told}");
        runtime.close().unwrap();
        alone.assert_nothing_lives();
    }
}

/// A wait at the end takes the library's only report of the failure.
#[proves(COPY_04, ERR_02)]
#[test]
fn a_lending_that_panics_leaves_the_failures_of_its_copies_to_the_next_sweep() {
    let (alone, _others) = undisturbed();
    drop(sweep(None));
    inside(|current| {
        let image = [1_u8; 4];
        let lent = catch_unwind(AssertUnwindSafe(|| {
            current.copy_scope(|current, copies| {
                let (stream, device) = (current.stream().unwrap(), current.device_buffer(4).unwrap());
                fail(FIRST_WAIT_FAILS);
                drop(copies.copy_to_device(current, &stream, &image, device).unwrap());
                panic_any("the program's");
            })
        }));
        assert_eq!(*lent.unwrap_err().downcast::<&str>().unwrap(), "the program's");
        nothing_fails();
    });
    let swept = sweep(None);
    assert!(matches!(swept.as_slice(), [failure] if is_the_failure(failure)), "{swept:?}");
    alone.assert_nothing_lives();
}

#[proves(COPY_04, ERR_02)]
#[test]
fn a_lending_on_two_streams_that_fail_returns_one_failure_and_leaves_the_other_to_the_next_collection() {
    let alone = alone();
    inside(|current| {
        let image = [1_u8; 4];
        let lent = current.copy_scope(|current, copies| {
            for _ in 0..2 {
                let (stream, device) = (current.stream().unwrap(), current.device_buffer(4).unwrap());
                drop(copies.copy_to_device(current, &stream, &image, device).unwrap());
            }
            fail("aclrtSynchronizeStreamWithTimeout#1=after:507015,aclrtSynchronizeStreamWithTimeout#3=after:507899");
        });
        nothing_fails();
        assert!(is_the_failure(&lent.unwrap_err()));
        let [other] = &*current.collect() else { panic!("the other failure was lost") };
        assert_eq!(other.code().unwrap().number(), 507_899);
    });
    alone.assert_nothing_lives();
}

/// The crate's own check refuses the first wait at the end. The process must not end for that, and what the library says
/// to the next one is kept.
#[proves(COPY_04, CTX_05, CTX_08, ERR_02)]
#[test]
fn a_lending_in_which_other_code_changes_the_context_waits_all_the_same_and_returns_the_change() {
    let (alone, _others) = undisturbed();
    let runtime = verified();
    for fails in [false, true] {
        let lent = runtime.with(|current| {
            let mut copy = [0_u8; 64];
            let lent = current.copy_scope(|current, copies| {
                let (stream, device) = (current.stream().unwrap(), current.upload(&[7_u8; 64]).unwrap());
                let slow = "aclrtMemcpyAsync=slow:20ms";
                fail(&if fails { format!("{slow},{FIRST_WAIT_FAILS}") } else { slow.to_owned() });
                drop(copies.copy_to_host(current, &stream, device, &mut copy).unwrap());
                sets_device(1);
            });
            nothing_fails();
            let changed = lent.unwrap_err();
            assert!(matches!(changed, Error::CurrentChanged { .. }), "{changed}");
            let told = current.collect();
            assert_eq!(told.len(), usize::from(fails), "{told:?}");
            assert!(told.iter().all(is_the_failure), "{told:?}");
            // The context is current again.
            current.upload(&copy).unwrap().free(current).unwrap();
            current.foreign(|| resets_device(1));
            copy
        });
        assert_eq!(lent.unwrap(), [7; 64]);
    }
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}
