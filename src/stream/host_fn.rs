//! Code of the host in stream order.

use super::{Pending, StreamOps, payload};
use crate::brand::{Brand, Inside};
use crate::current::Current;
use crate::error::{Error, Failed};
use crate::ffi::{HostCode, NotQueued, RawStream, message_of};
use ascendcl_macros::rule;
use core::fmt;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::mem;
use std::panic::{AssertUnwindSafe, RefUnwindSafe, UnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard};

impl<C: Brand> StreamOps<C> {
    /// Queues a call of `callback` on the host (`aclrtLaunchHostFunc`): it runs when everything queued before is done,
    /// on a thread of the library, and what is queued after it waits for it.
    ///
    /// The callback cannot use anything of a context: what it captures is `Send` and `'static`, and inside it the
    /// library cannot be called ([`Error::InsideCallback`]). A panic in it does not reach the library: the
    /// [`HostFnResult`] tells it. Its captures live until it has run; if it never runs, they are never dropped.
    ///
    /// A callback should be short: all callbacks of a context run on one thread of the library (CB-12), so a callback
    /// that blocks delays those of every stream. Two waits inside a callback cause a deadlock:
    /// * Waiting for something that another thread does only after it has waited for this stream. That thread's wait
    ///   does not return. With a limit ([`Pending::wait_within`], [`StreamOps::synchronize_within`]) it ends.
    /// * Waiting for a thread that queues work. A stream takes about 2,000 tasks, and a callback counts as three. The
    ///   queueing call then blocks until tasks have completed (STREAM-22).
    ///
    /// ```
    /// # ascendcl::run(ascendcl::Library::Simulator, |current| {
    /// let stream = current.stream()?;
    /// let answer = stream.launch_host_fn(current, || 6 * 7)?;
    /// assert_eq!(answer.wait(current)?.into_result()?, 42);
    /// # Ok::<_, ascendcl::Error>(())
    /// # })?;
    /// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::MissingFunction`] on releases that lack the function, or [`Error::Vendor`]. The callback comes with it
    /// and will not run; it is missing if the library may have queued it although it answered with a failure.
    #[rule(CB_01, CB_08, CB_09)]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn launch_host_fn< // STREAM-09: while the stream's own context is current: `stream.launch_host_fn(current, || ...)`
        R: Send + 'static,
        F: FnOnce() -> R + Send + 'static, // CB-01, CB-08: a thread of the library runs it: `move || ...`, `Arc` for `Rc`, no `&`
    >(
        &self,
        current: &Current<C>,
        callback: F,
    ) -> Result<Pending<C, HostFnResult<R>>, Failed<Option<F>>> {
        // The callback stays reachable, to be given back when the call is refused.
        let call = Arc::new(HostCall(Mutex::new(Stage::Waiting(callback))));
        match self.queue().call_back_with(current.here(), Arc::clone(&call)) {
            Ok(number) => Ok(Pending::new(HostFnResult { call }, self.queue(), number)),
            Err(NotQueued { error, will_not_run }) => {
                Err(Failed { error, value: if will_not_run { call.begin() } else { None } })
            }
        }
    }
}

/// The value that a callback returned, or the fact that it panicked. See [`StreamOps::launch_host_fn`].
#[must_use = "a panic of the callback is only told here"]
pub struct HostFnResult<R> {
    call: Arc<dyn Answers<R>>,
}

assert_impl_all!(HostFnResult<u8>: Send, Sync);
assert_not_impl_any!(HostFnResult<u8>: Clone);

impl<R> HostFnResult<R> {
    /// The callback's result.
    ///
    /// # Errors
    ///
    /// [`Error::CallbackPanicked`], or [`Error::CallbackLost`] when the stream finished without it.
    pub fn into_result(self) -> Result<R, Error> {
        match self.call.take_answer() {
            Some(Ok(result)) => Ok(result),
            Some(Err(message)) => Err(Error::CallbackPanicked { message }),
            None => Err(Error::CallbackLost),
        }
    }
}

/// The result of a callback, or the message of its panic.
type Answer<R> = Result<R, String>;

/// A callback and its result, in one allocation.
struct HostCall<R, F>(Mutex<Stage<R, F>>);

enum Stage<R, F> {
    /// The callback has not run yet.
    Waiting(F),
    /// The callback is running, or its result was taken.
    Empty,
    /// The callback has run.
    Done(Answer<R>),
}

/// What a [`HostFnResult`] knows of its callback, whose type it does not name.
trait Answers<R>: Send + Sync + UnwindSafe + RefUnwindSafe {
    fn take_answer(&self) -> Option<Answer<R>>;
    fn has_answer(&self) -> bool;
}

impl<R, F> HostCall<R, F> {
    fn lock(&self) -> MutexGuard<'_, Stage<R, F>> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Takes the callback out. `None` if that was done before.
    fn begin(&self) -> Option<F> {
        let mut stage = self.lock();
        match mem::replace(&mut *stage, Stage::Empty) {
            Stage::Waiting(callback) => Some(callback),
            other => {
                *stage = other;
                None
            }
        }
    }
}

impl<R: Send + 'static, F: FnOnce() -> R + Send + 'static> HostCode for HostCall<R, F> {
    fn run(&self) {
        if let Some(callback) = self.begin() {
            let result = catch_unwind(AssertUnwindSafe(callback)).map_err(message_of);
            *self.lock() = Stage::Done(result);
        }
    }
}

impl<R: Send, F: Send> Answers<R> for HostCall<R, F> {
    fn take_answer(&self) -> Option<Answer<R>> {
        let mut stage = self.lock();
        match mem::replace(&mut *stage, Stage::Empty) {
            Stage::Done(answer) => Some(answer),
            other => {
                *stage = other;
                None
            }
        }
    }

    fn has_answer(&self) -> bool {
        matches!(*self.lock(), Stage::Done(_))
    }
}

impl<R> fmt::Debug for HostFnResult<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostFnResult").field("is_there", &self.call.has_answer()).finish_non_exhaustive()
    }
}

impl<R> payload::sealed::Payload for HostFnResult<R> {
    #[inline]
    fn comes_to_rest(&self, _: Inside) {}

    fn follow(&self, _: (u64, u64), _: &RawStream, _: Inside) {}
}
