//! Code of the user that a stream runs on the host, in stream order.
//!
//! The library gets a shared pointer to the code (CB-08). The pointer comes back once, as the argument of the
//! trampoline. A callback that the library never runs is never freed, because it could still run later. After a failed
//! call, either the caller or the trampoline takes the state out of the shared place, never both.

use super::call::call;
use super::{Here, RawStream};
use crate::callback_guard::InCallback;
use crate::code::Code;
use crate::error::Error;
use ascendcl_sys::error_codes::{ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_PARAM_INVALID};
use core::ffi::c_void;
use std::any::Any;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

impl RawStream {
    /// Queues a call of `run` with `state`. It runs on a thread of the library. Later work on the stream waits for it.
    ///
    /// # Errors
    ///
    /// The error comes with the state in two cases: the call never reached the library, or the library reports that it
    /// refused the arguments and has not run the callback yet. The callback is not run after that. In the vendor's
    /// library one callback is three submissions, and any other error can come from a later one of them. The callback
    /// then stays with the library.
    pub(crate) fn call_back_with<T: Send + 'static>(
        &self,
        here: Here<'_>,
        state: T,
        run: fn(T),
    ) -> Result<u64, (Error, Option<T>)> {
        let callback = Arc::new(Callback { state: Mutex::new(Some(state)), run });
        let argument = Arc::into_raw(Arc::clone(&callback));
        let queued = self.submit_alone(here, "queue a callback", [], |ready, stream| {
            // SAFETY: the function asks for a live stream, and for a function that may be called with the argument on a
            // thread of the library (CB-08). The caller has the stream's handle. The trampoline is for this type of
            // state, which is `Send`. The count that `into_raw` kept belongs to the library from here on.
            unsafe { call!(ready.aclrtLaunchHostFunc(stream, Some(trampoline::<T>), argument.cast_mut().cast())) }
        });
        queued.map_err(|error| {
            let error = Error::from(error);
            if error.rules_out_that_work_was_queued() {
                // SAFETY: `Arc::from_raw` asks for a pointer of `Arc::into_raw` whose count nobody else takes back. It
                // was made above, and was never passed to the library.
                drop(unsafe { Arc::from_raw(argument) });
            } else if !is_of_the_arguments(&error) {
                return (error, None);
            }
            (error, callback.take())
        })
    }
}

/// Whether the error is about the arguments. The vendor's library checks them before the first of the three submissions
/// of a callback.
fn is_of_the_arguments(error: &Error) -> bool {
    matches!(error.code().map(Code::number), Some(ACL_ERROR_INVALID_PARAM | ACL_ERROR_RT_PARAM_INVALID))
}

struct Callback<T> {
    /// `None` while the callback runs and afterwards, or after the state was returned.
    state: Mutex<Option<T>>,
    run: fn(T),
}

impl<T> Callback<T> {
    fn take(&self) -> Option<T> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Runs a callback. It may not call the library (CB-01), and a panic does not unwind out of it (CB-09).
///
/// # Safety
///
/// `argument` is a shared pointer to a `Callback<T>` that is passed once.
unsafe extern "C" fn trampoline<T>(argument: *mut c_void) {
    // SAFETY: `Arc::from_raw` asks for a pointer of `Arc::into_raw` of this type whose count nobody else takes back.
    // The caller of this function promises that (its safety section): the library runs a callback once, with the
    // argument that it was given (CB-08).
    let callback = unsafe { Arc::from_raw(argument.cast_const().cast::<Callback<T>>()) };
    let _refuses = InCallback::begin();
    // The state is taken and dropped inside `catch_unwind`, so a panic of its destructor is caught too.
    let run = AssertUnwindSafe(|| callback.take().map(callback.run));
    if let Err(payload) = catch_unwind(run) {
        // The payload is leaked, because its destructor could panic again and unwind into C.
        mem::forget(payload);
    }
}

/// The message of a panic. The payload is not dropped, because its destructor could panic too.
pub(crate) fn message_of(payload: Box<dyn Any + Send>) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let message = text.or_else(|| payload.downcast_ref::<String>().cloned());
    mem::forget(payload);
    message.unwrap_or_else(|| "something that is not text".to_owned())
}
