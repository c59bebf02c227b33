//! Code of the host in stream order.

use super::{Pending, StreamOps, payload};
use crate::brand::{Brand, Inside};
use crate::current::Current;
use crate::error::{Error, Failed};
use crate::ffi::{RawStream, message_of};
use ascendcl_macros::rule;
use core::fmt;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::panic::{AssertUnwindSafe, catch_unwind};
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
    pub fn launch_host_fn<
        R: Send + 'static,
        F: FnOnce() -> R + Send + 'static, // CB-01, CB-08: a thread of the library runs it: `move || ...`, `Arc` for `Rc`, no `&`
    >(
        &self,
        current: &Current<C>,
        callback: F,
    ) -> Result<Pending<C, HostFnResult<R>>, Failed<Option<F>>> {
        let place = Arc::new(Place::default());
        let reply = HostFnResult { place: Arc::clone(&place) };
        // The callback stays reachable, to be given back when the call is refused.
        let callback = Call { callback, place };
        match self.queue().call_back_with(current.here(), callback, Call::run) {
            Ok(number) => Ok(Pending::new(reply, self.queue(), number)),
            Err((error, call)) => Err(Failed { error, value: call.map(|call| call.callback) }),
        }
    }
}

/// The value that a callback returned, or the fact that it panicked. See [`StreamOps::launch_host_fn`].
#[must_use = "a panic of the callback is only told here"]
pub struct HostFnResult<R> {
    place: Arc<Place<R>>,
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
        match self.place.lock().take() {
            Some(Ok(result)) => Ok(result),
            Some(Err(message)) => Err(Error::CallbackPanicked { message }),
            None => Err(Error::CallbackLost),
        }
    }
}

/// Where the result goes, or the message of a panic.
struct Place<R>(Mutex<Option<Result<R, String>>>);

impl<R> Default for Place<R> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<R> Place<R> {
    fn lock(&self) -> MutexGuard<'_, Option<Result<R, String>>> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

struct Call<R, F> {
    callback: F,
    place: Arc<Place<R>>,
}

impl<R, F: FnOnce() -> R> Call<R, F> {
    fn run(self) {
        let result = catch_unwind(AssertUnwindSafe(self.callback)).map_err(message_of);
        *self.place.lock() = Some(result);
    }
}

impl<R> fmt::Debug for HostFnResult<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostFnResult").field("is_there", &self.place.lock().is_some()).finish_non_exhaustive()
    }
}

impl<R> payload::sealed::Payload for HostFnResult<R> {
    #[inline]
    fn rest(&self, _: Inside) {}

    fn follow(&self, _: (u64, u64), _: &RawStream, _: Inside) {}
}
