//! Code of the user that a stream runs on the host, in its turn.
//!
//! It is boxed, and the library gets the box (CB-08). The box comes back once, into the trampoline, which runs it. One
//! that the library never runs is never freed: nobody could tell that it will not be run after all.

use super::{Api, Queue};
use crate::error::Error;
use crate::thread::InCallback;
use core::ffi::c_void;
use std::any::Any;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};

impl Queue {
    /// Queues a call of `run` with `state`. It runs on a thread of the library; what follows on the stream waits for it.
    ///
    /// # Errors
    ///
    /// With the state, when it is certain that the library did not take it.
    pub(crate) fn call_back_with<T: Send + 'static>(
        &self,
        api: Api,
        state: T,
        run: fn(T),
    ) -> Result<(), (Error, Option<T>)> {
        let argument = Box::into_raw(Box::new(Callback { state, run }));
        let queued = self.submit(api, "aclrtLaunchHostFunc", "queue a callback", [], |stream| {
            // SAFETY: the stream is alive (the gate). The trampoline is for this type of state, which is `Send`; the box
            // is the library's from here on.
            unsafe { api.library().aclrtLaunchHostFunc(stream, Some(trampoline::<T>), argument.cast()) }
        });
        queued.map_err(|error| {
            let untouched = error.rules_out_that_work_was_queued().then(|| {
                // SAFETY: made by `into_raw` above, and the library did not take it.
                unsafe { Box::from_raw(argument) }.state
            });
            (error, untouched)
        })
    }
}

struct Callback<T> {
    state: T,
    run: fn(T),
}

/// Runs a callback, in which nothing of the library may be begun (CB-01), and out of which nothing unwinds (CB-09).
///
/// # Safety
///
/// `argument` is a box of a `Callback<T>` that is handed in once.
unsafe extern "C" fn trampoline<T>(argument: *mut c_void) {
    // SAFETY: as the caller vouches: the library runs a callback once, with the argument that it was given.
    let callback = unsafe { Box::from_raw(argument.cast::<Callback<T>>()) };
    let _refuses = InCallback::begin();
    // Inside: whatever the callback leaves is dropped there, too.
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| (callback.run)(callback.state))) {
        // Its own destructor could panic again, out into C: it is left alone.
        mem::forget(payload);
    }
}

/// What a panic said. The payload itself is not dropped: its destructor could panic, too.
pub(crate) fn message_of(payload: Box<dyn Any + Send>) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let message = text.or_else(|| payload.downcast_ref::<String>().cloned());
    mem::forget(payload);
    message.unwrap_or_else(|| "something that is not text".to_owned())
}
