//! Code of the host in stream order.

use super::{Pending, StreamOps, payload};
use crate::brand::{Brand, Inside};
use crate::current::Current;
use crate::error::{Error, Failed};
use crate::ffi::{HostCode, NotQueued, RawStream, Untyped, cold_path, message_of};
use ascendcl_macros::rule;
use core::cell::{Cell, RefCell};
use core::fmt;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::mem::{self, ManuallyDrop};
use std::panic::{AssertUnwindSafe, RefUnwindSafe, UnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard};

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
        // This function keeps a pointer to the callback, to give it back if the call is refused. The compiler does not know
        // that queueing never unwinds. If the pointer were dropped then, it would be in memory until then.
        let kept = ManuallyDrop::new(HostCall::with(callback));
        let queued = self.queue().call_back_with(current.here(), Arc::clone(&kept));
        let call = ManuallyDrop::into_inner(kept);
        match queued {
            Ok(number) => Ok(Pending::new(HostFnResult { call }, self.queue(), number)),
            Err(NotQueued { error, will_not_run }) => {
                Err(Failed { error, value: if will_not_run { call.begin() } else { None } })
            }
        }
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

thread_local! {
    /// The memory of the last callback on this thread. A callback in a loop finds its own memory here.
    static LAST: Cell<Option<Untyped>> = const { Cell::new(None) };
    /// The memory of further callbacks.
    static SPARES: RefCell<Vec<Untyped>> = const { RefCell::new(Vec::new()) };
}

/// How many callbacks a thread keeps memory for, beside the last one.
const MOST_SPARES: usize = 8;
/// The memory of larger callbacks is not kept.
const MOST_BYTES: usize = 4096;

/// Keeps memory beside that of the last callback. While the thread ends, it is dropped instead; it contains no value of
/// the program.
#[cold]
#[inline(never)]
fn keep_among_others(spare: Untyped) {
    let _ = SPARES.try_with(|spares| {
        let Ok(mut spares) = spares.try_borrow_mut() else { return };
        if spares.len() == MOST_SPARES {
            spares.remove(0);
        }
        spares.push(spare);
    });
}

impl<R: Send + 'static, F: Send + 'static> HostCall<R, F> {
    /// A call that has not run yet. It uses the memory of an earlier callback of this type, if the library no longer has
    /// that memory. So callbacks in a loop allocate nothing.
    #[inline]
    fn with(callback: F) -> Arc<Self> {
        let waiting = Mutex::new(Stage::Waiting(callback));
        let Some(mut spare) = Self::spare() else { return Arc::new(Self(waiting)) };
        match Arc::get_mut(&mut spare) {
            Some(call) => {
                // Nothing is lost: the answer was taken before the memory was kept.
                mem::forget(mem::replace(call, Self(waiting)));
                spare
            }
            None => cold_path(move || {
                drop(spare);
                Arc::new(Self(waiting))
            }),
        }
    }

    #[inline]
    fn spare() -> Option<Arc<Self>> {
        match LAST.try_with(Cell::take).ok()?.map(Untyped::typed_at_once) {
            Some(Ok(spare)) => Some(spare),
            Some(Err(other)) => Self::spare_among_others(Some(other)),
            None => Self::spare_among_others(None),
        }
    }

    /// The last one is of another type, or in use.
    #[cold]
    #[inline(never)]
    fn spare_among_others(last: Option<Untyped>) -> Option<Arc<Self>> {
        // `typed_at_once` does not find each pointer of this type.
        let last = match last.map(Untyped::typed) {
            Some(Ok(spare)) => return Some(spare),
            Some(Err(other)) => Some(other),
            None => None,
        };
        let found = SPARES.try_with(|spares| {
            let mut spares = spares.try_borrow_mut().ok()?;
            let place = spares.iter().position(|spare| spare.is::<Self>())?;
            Some(spares.swap_remove(place))
        });
        if let Some(last) = last {
            keep_among_others(last);
        }
        found.ok()??.typed().ok()
    }
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
        if size_of::<Self>() > MOST_BYTES {
            return;
        }
        if let Ok(Some(last)) = LAST.try_with(|last| last.replace(Some(Untyped::new(self)))) {
            keep_among_others(last);
        }
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
