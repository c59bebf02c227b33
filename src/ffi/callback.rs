//! Code of the user that a stream runs on the host, in stream order.
//!
//! The library gets a shared pointer to the code (CB-08). The pointer comes back once, as the argument of the
//! trampoline. A callback that the library never runs is never freed, because it could still run later. After a failed
//! call, either the caller or the trampoline takes the code out of the shared place, never both.

use super::call::{FailedCall, functions};
use super::stamp::Obstacles;
use super::thread_notes::entered_id;
use super::untyped::Twice;
use super::work::{begin_at_once, queue_alone};
use super::{Begun, Here, RawStream};
use crate::callback_guard::{InCallback, contained};
use crate::code::Code;
use crate::error::{Boxed, Error};
use ascendcl_macros::rule;
use ascendcl_sys::error_codes::{ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_PARAM_INVALID};
use core::convert::Infallible;
use core::ffi::c_void;
use std::any::Any;
use std::mem;
use std::sync::Arc;

/// Code that a thread of the library runs once.
pub(crate) trait HostCode: Send + Sync + 'static {
    /// Runs the code, unless it was run or taken out before.
    fn run(&self);
}

/// The error of a callback that was not queued.
pub(crate) struct NotQueued {
    pub(crate) error: Error,
    /// Whether it is certain that the library will not start the callback from now on, so its code may be taken out.
    /// The code is not there if the callback is running already.
    pub(crate) will_not_run: bool,
}

/// A call that should have queued a callback, and failed.
pub(crate) type NotCalled = FailedCall<functions::aclrtLaunchHostFunc>;

const QUEUE_A_CALLBACK: &str = "queue a callback";

impl RawStream {
    /// Queues a call of `code`. It runs on a thread of the library. Later work on the stream waits for it. The library gets
    /// one of the two pointers, and the caller the other.
    ///
    /// # Errors
    ///
    /// The callback will not run in two cases: the call never reached the library, or the library reports that it
    /// refused the arguments. In the vendor's library one callback is three submissions, and any other error can come
    /// from a later one of them. The callback then stays with the library.
    #[cold]
    #[inline(never)]
    pub(crate) fn call_back_with<T: HostCode>(
        &self,
        here: Here<'_>,
        code: Twice<T>,
    ) -> (Arc<T>, Result<u64, NotQueued>) {
        let argument = code.address();
        // SAFETY: the function asks for a live stream, and for a function that may be called with the argument on a thread
        // of the library (CB-08). The caller has the stream's handle. The trampoline is for this type of code, which is
        // `Send` and `Sync`. One of the two pointers belongs to the library from here on.
        let queued = unsafe {
            queue_alone!(self, here, QUEUE_A_CALLBACK, [], |stream| {
                aclrtLaunchHostFunc(stream, Some(trampoline::<T>), argument.cast_mut().cast())
            })
        };
        match queued {
            Ok(number) => (code.leave_one(), Ok(number)),
            Err(error) => Self::not_queued(error, code),
        }
    }

    /// Like [`call_back_with`](Self::call_back_with). `None` when further checks are needed; then nothing has happened. After
    /// success the caller [has one](Twice::leave_one) of the two pointers. It settles a failed call at once
    /// ([`settle_callback`](Self::settle_callback)).
    #[inline(always)]
    pub(crate) fn call_back_at_once<T: HostCode>(
        self: &Arc<Self>,
        here: Here<'_>,
        code: &Twice<T>,
    ) -> Option<Begun<NotCalled>> {
        // SAFETY: the function asks for a live stream, and for a function that may be called with the argument on a thread
        // of the library (CB-08). The caller has the stream's handle. The trampoline is for this type of code, which is
        // `Send` and `Sync`. One of the two pointers belongs to the library from here on, unless the caller finds that the
        // call never reached the library.
        unsafe {
            begin_at_once!(
                self,
                here,
                Obstacles::NONE,
                [],
                [],
                |stream| aclrtLaunchHostFunc(stream, Some(trampoline::<T>), code.address().cast_mut().cast()),
                Arc::clone(self),
            )
        }
    }

    /// Settles a call that failed.
    pub(crate) fn settle_callback<T>(&self, failed: NotCalled, code: Twice<T>) -> (Arc<T>, NotQueued) {
        let (code, error) = Self::not_queued::<T, Infallible>(self.settle(QUEUE_A_CALLBACK, failed, []), code);
        match error {
            Ok(never) => match never {},
            Err(error) => (code, error),
        }
    }

    fn not_queued<T, N>(error: Boxed, code: Twice<T>) -> (Arc<T>, Result<N, NotQueued>) {
        let (error, never_called) = NotQueued::from_error(error);
        (if never_called { code.into_one() } else { code.leave_one() }, Err(error))
    }
}

impl NotQueued {
    /// The error of a failed call, and whether the callback never reached the library.
    #[cold]
    #[inline(never)]
    fn from_error(error: Boxed) -> (Self, bool) {
        let error = Error::from(error);
        let never_called = error.rules_out_that_work_was_queued();
        let will_not_run = never_called || is_about_arguments(&error);
        (Self { error, will_not_run }, never_called)
    }
}

/// Whether the error is about the arguments. The vendor's library checks them before the first of the three submissions
/// of a callback.
fn is_about_arguments(error: &Error) -> bool {
    matches!(error.code().map(Code::number), Some(ACL_ERROR_INVALID_PARAM | ACL_ERROR_RT_PARAM_INVALID))
}

/// Runs a callback. It may not call the library (CB-01), and a panic does not unwind out of it (CB-09).
///
/// # Safety
///
/// `argument` is a shared pointer to a `T` that is passed once.
unsafe extern "C" fn trampoline<T: HostCode>(argument: *mut c_void) {
    // SAFETY: `Arc::from_raw` asks for a pointer of `Arc::into_raw` of this type whose count nobody else takes back.
    // The caller of this function promises that (its safety section): the library runs a callback once, with the
    // argument that it was given (CB-08).
    let code = unsafe { Arc::from_raw(argument.cast_const().cast::<T>()) };
    stay_inside();
    // The last pointer may be dropped here, and a destructor of the user's values may panic.
    contained(move || code.run());
}

/// Called before code of the program runs in a callback. The code may set thread-local variables, whose destructors run when
/// the library ends its thread. The library must not be called there, either: it may be waiting for the thread. So a thread
/// of the library stays inside the callback. A thread that has entered a context is the program's.
#[rule(CB_01)]
pub(super) fn stay_inside() {
    if entered_id().is_none() {
        InCallback::stay_on_this_thread();
    }
}

/// The message of a panic. The payload is not dropped, because its destructor could panic too.
pub(crate) fn message_of(payload: Box<dyn Any + Send>) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let message = text.or_else(|| payload.downcast_ref::<String>().cloned());
    mem::forget(payload);
    message.unwrap_or_else(|| "something that is not text".to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails says where")]

    use super::*;
    use crate::device_allocator::ContextId;
    use crate::ffi::thread_notes::set_entered_id;
    use crate::ffi::{Api, Site};
    use ascendcl_sys::types::aclrtStream;

    struct Nothing;

    impl HostCode for Nothing {
        fn run(&self) {}
    }

    /// The library may run a callback on a thread that waits for the work. That thread goes on.
    #[test]
    fn a_thread_that_has_entered_a_context_does_not_stay_inside() {
        std::thread::scope(|scope| {
            for context in [Some(ContextId::next(0)), None] {
                scope.spawn(move || {
                    set_entered_id(context);
                    stay_inside();
                    assert_eq!(InCallback::is_running(), context.is_none());
                    set_entered_id(None);
                });
            }
        });
    }

    #[test]
    fn code_that_never_reached_the_library_is_dropped() {
        let (api, code) = (Api::without_functions(), Twice::new(Nothing));
        let stream = RawStream::created(api, aclrtStream::NULL);
        let (code, refused) = stream.call_back_with(Site::unproven(api).here(), code);
        let refused = refused.err().unwrap();
        assert!(refused.will_not_run && matches!(refused.error, Error::MissingFunction(_)));
        assert_eq!(Arc::strong_count(&code), 1, "the count of the library");
    }
}
