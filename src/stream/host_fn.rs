//! Code of the host in stream order.

use super::{Pending, StreamOps, payload};
use crate::brand::{Brand, Inside};
use crate::current::Current;
use crate::error::{Error, Failed};
use crate::ffi::{
    HostCode, NotCalled, NotQueued, RawStream, Twice, keep_memory_of, kept_before, last_kept, message_of,
};
use ascendcl_macros::rule;
use core::fmt;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::mem::{self, ManuallyDrop};
use std::panic::{AssertUnwindSafe, RefUnwindSafe, UnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

impl<C: Brand> StreamOps<C> {
    /// Queues a call of `callback` on the host (`aclrtLaunchHostFunc`). It runs on a thread of the library when everything
    /// queued before it is done, and what is queued after it waits for it.
    ///
    /// The callback cannot use anything of a context: what it captures is `Send` and `'static`, and inside it the
    /// library cannot be called ([`Error::InsideCallback`]); nor in the destructors of thread-local variables that it sets,
    /// which run when the library ends the thread. A panic in it does not reach the library: the
    /// [`HostFnResult`] reports it. Its captures live until it has run; if it never runs, they are never dropped.
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
    /// Returns the callback, which will not run, with [`Error::MissingFunction`] on releases that lack the function, or
    /// [`Error::Vendor`]. Returns `None` in its place if the library may have queued it although the call failed.
    #[rule(CB_01, CB_08, CB_09)]
    #[inline]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn launch_host_fn< // STREAM-09: while the stream's own context is current: `stream.launch_host_fn(current, || ...)`
        R: Send + 'static,
        F: FnOnce() -> R + Send + 'static, // CB-01, CB-08: a thread of the library runs it: `move || ...`, `Arc` for `Rc`, no `&`
    >(
        &self,
        current: &Current<C>,
        callback: F,
    ) -> Result<Pending<C, HostFnResult<R>>, Failed<Option<F>>> {
        // Without memory of an earlier callback this is slow in any case, and the fast path keeps nothing while it is allocated.
        let call = match HostCall::in_kept_memory(callback) {
            // As in `set_bytes`.
            Ok(call) => ManuallyDrop::new(call),
            Err(callback) => return call_back_in_new_memory(current, self.queue(), callback),
        };
        let (queue, number) = match self.queue().call_back_at_once(current.here(), &call) {
            Some((queue, Ok(number))) => (queue, number),
            Some((queue, Err(failed))) => return Err(not_called(queue, failed, ManuallyDrop::into_inner(call))),
            None => return call_back_after_checks(current, self.queue(), ManuallyDrop::into_inner(call)),
        };
        Ok(Pending::with_queue(HostFnResult { call: ManuallyDrop::into_inner(call).leave_one() }, queue, number))
    }
}

/// Queues the callback, after all checks. This thread has kept no memory for it lately.
#[cold]
#[inline(never)]
fn call_back_in_new_memory<C: Brand, R: Send + 'static, F: FnOnce() -> R + Send + 'static>(
    current: &Current<C>,
    queue: &Arc<RawStream>,
    callback: F,
) -> Result<Pending<C, HostFnResult<R>>, Failed<Option<F>>> {
    call_back_after_checks(current, queue, HostCall::with(callback))
}

/// Settles a call that failed.
#[cold]
#[inline(never)]
fn not_called<R, F>(queue: Arc<RawStream>, failed: NotCalled, call: Twice<HostCall<R, F>>) -> Failed<Option<F>> {
    let (call, refused) = queue.settle_callback(failed, call);
    call.not_queued(refused)
}

/// Queues the callback, after all checks.
#[cold]
#[inline(never)]
fn call_back_after_checks<C: Brand, R: Send + 'static, F: FnOnce() -> R + Send + 'static>(
    current: &Current<C>,
    queue: &Arc<RawStream>,
    call: Twice<HostCall<R, F>>,
) -> Result<Pending<C, HostFnResult<R>>, Failed<Option<F>>> {
    match queue.call_back_with(current.here(), call) {
        (call, Ok(number)) => Ok(Pending::new(HostFnResult { call }, queue, number)),
        (call, Err(refused)) => Err(call.not_queued(refused)),
    }
}

/// The value that a callback returned, or the fact that it panicked. See [`StreamOps::launch_host_fn`].
#[must_use = "a panic of the callback is reported here only"]
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
        let answer = self.call.take_answer().ok_or(Error::CallbackLost)?;
        self.call.keep();
        answer.map_err(|message| Error::CallbackPanicked { message })
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

/// The part of a [`HostCall`] that a [`HostFnResult`] needs. The trait hides the type of the callback.
trait Answers<R>: Send + Sync + UnwindSafe + RefUnwindSafe {
    fn take_answer(&self) -> Option<Answer<R>>;
    fn has_answer(&self) -> bool;

    /// Keeps the memory for the next callback of this type. The answer was taken.
    fn keep(self: Arc<Self>);
}

impl<R: Send + 'static, F: Send + 'static> HostCall<R, F> {
    /// A call that has not run yet, in the memory of the last callback on this thread, if that had this type. So callbacks in
    /// a loop allocate nothing.
    #[inline(always)]
    fn in_kept_memory(callback: F) -> Result<Twice<Self>, F> {
        last_kept(callback, Self::renew)
    }

    /// A call that has not run yet, in the memory of an earlier callback of this type if there is one.
    fn with(callback: F) -> Twice<Self> {
        kept_before(callback, Self::renew)
            .unwrap_or_else(|callback| Twice::new(Self(Mutex::new(Stage::Waiting(callback)))))
    }

    #[inline(always)]
    fn renew(&mut self, callback: F) {
        let stage = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        // Nothing is lost: the answer was taken before the memory was kept.
        mem::forget(mem::replace(stage, Stage::Waiting(callback)));
    }
}

impl<R, F> HostCall<R, F> {
    fn lock(&self) -> MutexGuard<'_, Stage<R, F>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the callback back, if it will not run.
    fn not_queued(&self, NotQueued { error, will_not_run }: NotQueued) -> Failed<Option<F>> {
        Failed { error, value: if will_not_run { self.begin() } else { None } }
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

impl<R: Send + 'static, F: Send + 'static> Answers<R> for HostCall<R, F> {
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

    fn keep(self: Arc<Self>) {
        keep_memory_of(self);
    }
}

impl<R> fmt::Debug for HostFnResult<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostFnResult").field("is_there", &self.call.has_answer()).finish_non_exhaustive()
    }
}

impl<R> payload::sealed::Payload for HostFnResult<R> {
    #[inline]
    fn mark_work_done(&self, _: Inside) {}

    fn follow(&self, _: (u64, u64), _: &RawStream, _: Inside) {}
}
