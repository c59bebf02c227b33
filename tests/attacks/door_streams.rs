//! Streams whose handle other code has.

use super::door::{destroy, stream_of_others};
use super::{finish, inside, must_not_call, nothing_fails, set};
use crate::common::alone;
use ascendcl_macros::proves;
use ascendcl_sys::types::aclrtStream;
use std::ffi::c_void;
use std::pin::pin;
use std::task::{Context, Waker};
use std::thread::sleep;
use std::time::Duration;

unsafe extern "C" fn sleeps(_: *mut c_void) {
    sleep(Duration::from_millis(600));
}

/// The library waits in slices, the first of which is over before this work is.
#[proves(STREAM_05)]
#[test]
fn a_stream_is_destroyed_when_the_work_is_over_that_other_code_queued_on_its_handle() {
    let alone = alone();
    inside(|current| {
        // The functions are known.
        current.stream().unwrap().destroy(current).unwrap();
        current.stream().unwrap().destroy(current).unwrap();
        let stream = current.stream().unwrap();
        let handle = aclrtStream(stream.as_raw());
        // SAFETY: the stream is there until `destroy` below, which waits for the callback. It uses no argument.
        let queued =
            unsafe { current.library().as_raw().aclrtLaunchHostFunc(handle, Some(sleeps), std::ptr::null_mut()) };
        assert_eq!(queued, Ok(0));
        stream.destroy(current).unwrap();
    });
    alone.assert_nothing_lives();
}

/// This crate does not count what other code queues behind the work.
#[proves(STREAM_12)]
#[test]
fn a_poll_does_not_wait_for_later_work_of_other_code_on_an_adopted_stream() {
    let alone = alone();
    inside(|current| {
        let theirs = stream_of_others(current);
        // SAFETY: it is a stream of this context until `destroy` below.
        let mut stream = unsafe { current.adopt_stream(theirs) }.unwrap();
        let mut future = pin!(set(current, &stream, 3).into_future(current, &mut stream).unwrap());
        let handle = aclrtStream(theirs.as_ptr());
        // SAFETY: the stream is there until `destroy` below, which comes after the callback. It uses no argument.
        let queued =
            unsafe { current.library().as_raw().aclrtLaunchHostFunc(handle, Some(sleeps), std::ptr::null_mut()) };
        assert_eq!(queued, Ok(0));
        // Long enough for the thread that watches to see the end of the first work, and shorter than the second.
        sleep(Duration::from_millis(100));
        must_not_call("aclrtSynchronizeStreamWithTimeout#1+=507899");
        for _ in 0..3 {
            assert!(future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        }
        nothing_fails();
        assert_eq!(finish(future).unwrap().to_vec(current).unwrap(), [3; 4]);
        stream.destroy(current).unwrap();
        destroy(current, theirs);
    });
    alone.assert_nothing_lives();
}
