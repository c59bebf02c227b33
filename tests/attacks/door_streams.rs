//! Streams whose handle other code has.

use super::inside;
use crate::common::alone;
use ascendcl_macros::proves;
use ascendcl_sys::types::aclrtStream;
use std::ffi::c_void;
use std::time::Duration;

unsafe extern "C" fn sleeps(_: *mut c_void) {
    std::thread::sleep(Duration::from_millis(600));
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
