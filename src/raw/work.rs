//! Work that uses objects of other crates.

use super::kept::KeptMemory;
use crate::brand::{Brand, Inside};
use crate::current::Current;
use crate::device_allocator::ContextId;
use crate::error::{Error, Failed};
use crate::ffi::{ForeignUse, RawStream, Shelf};
use crate::panics::{catch, drop_quietly};
use crate::stream::{Pending, StreamOps, sealed_payload};
use ascendcl_macros::rule;
use core::ffi::c_void;
use core::fmt;
use std::sync::Arc;

/// When queued work last used an object of another crate. The owner of the object asks it before it ends the object.
///
/// [`StreamOps::submit_object`](crate::stream::StreamOps::submit_object) records the use before and after the call that
/// queues the work. A last use belongs to one context. Several values may [name](InFlight::uses) the same one, which then
/// covers the work of all of them. [`InFlight`] has an example.
pub struct LastUse(ForeignUse);

/// A value of another crate that queued work uses, and that a [`Pending`](crate::Pending) holds and gives back.
///
/// It names the last uses of what the work uses. A [`LastUse`] that it leaves out says nothing about this work.
///
/// ```
/// use ascendcl::raw::{InFlight, LastUse};
/// use ascendcl::{Brand, Current, Error, Library, Stream};
///
/// /// A counter in device memory, which another library has.
/// struct Counter {
///     handle: u64,
///     last_use: LastUse,
/// }
///
/// impl InFlight for Counter {
///     fn uses(&self) -> Vec<&LastUse> {
///         vec![&self.last_use]
///     }
/// }
///
/// /// The function of the other library that queues work on a stream.
/// fn count_up(_stream: *mut std::ffi::c_void, _counter: u64) -> i32 {
///     0
/// }
///
/// # ascendcl::run(Library::Simulator, |current| {
/// let stream = current.stream()?;
/// let counter = Counter { handle: 7, last_use: LastUse::never(current) };
/// // SAFETY: the function queues its work on this stream, and the work uses the counter alone.
/// let counted = unsafe {
///     stream.submit_object(current, "count_up", counter, |stream, counter| {
///         current.library().check_call("count up", "count_up", count_up(stream, counter.handle))
///     })
/// }?;
/// let counter = counted.wait(current)?;
/// assert!(counter.last_use.is_over(current));
/// # Ok::<_, Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<Error>>(())
/// ```
#[diagnostic::do_not_recommend]
pub trait InFlight {
    /// The last uses of the objects that work uses.
    fn uses(&self) -> Vec<&LastUse>;

    /// Memory of this crate that the work also uses.
    fn memory(&self) -> Vec<&KeptMemory> {
        Vec::new()
    }
}

impl LastUse {
    /// For an object of this context that no work has used.
    pub fn never<C: Brand>(current: &Current<C>) -> Self {
        Self::of(current.id())
    }

    /// The same, for the context with this number.
    pub fn of(context: ContextId) -> Self {
        Self(ForeignUse::of(context))
    }

    /// Whether all work that used the object is known to be done because a wait has covered it. Nothing is called.
    ///
    /// Work that a failed call may have queued counts, too. `false` in another context than its own, and in a forked
    /// child.
    pub fn is_over<C: Brand>(&self, current: &Current<C>) -> bool {
        let here = current.here();
        here.check_process().is_ok() && self.0.is_here(here) && self.0.is_over(current.ledger().streams())
    }

    /// Whether a failed call may have queued work with the object, and that work could not be waited for. This stays so.
    pub fn is_in_doubt(&self) -> bool {
        self.0.is_in_doubt()
    }

    /// The same while the context with these streams takes an object down: this thread is in it.
    pub(super) fn has_ended(&self, streams: &Shelf<RawStream>) -> bool {
        self.0.is_entered() && self.0.is_over(streams)
    }
}

impl<C: Brand> StreamOps<C> {
    /// Queues work that uses an object of another crate, by a function of another library. `queue` gets the stream's
    /// handle and the object. It queues the work, and returns an error, for example of the other crate, if that failed.
    /// `call` is the function's name, for errors.
    ///
    /// The object is in flight afterwards: it comes back by a wait.
    ///
    /// # Safety
    ///
    /// * `queue` queues work on the stream that it gets, and nowhere else (STREAM-04).
    /// * Of this crate's memory, the work uses that of [`InFlight::memory`], inside of its bytes. Of memory that
    ///   [`tensors`](crate::raw::tensors) described, the object also has the tensor itself. The work uses other memory only
    ///   if that stays usable until the stream was synchronised (MEM-02). It writes only memory that nothing else uses
    ///   meanwhile.
    /// * What it uses of the other crate stays usable until the last uses of [`InFlight::uses`] say that the work
    ///   [is over](LastUse::is_over), even if the [`Pending`] is dropped or forgotten. So the object is a handle of
    ///   something that has another owner, for example of an object that is [attached](crate::raw::Attach) to the context.
    /// * `queue` leaves the thread's current context as it is, destroys nothing that work may use, and does not unwind
    ///   through C.
    ///
    /// # Errors
    ///
    /// Returns the object unchanged. [`Error::WrongContext`] when it belongs to another context, [`Error::InDoubt`] for
    /// memory in doubt: then `queue` has not run. Otherwise the error of `queue`. Then the crate waits for the stream,
    /// one and a quarter seconds at most, because work may have been queued. When the wait fails, the object's last uses
    /// and its memory are in doubt.
    ///
    /// # Panics
    ///
    /// A panic of `queue` continues after the same wait; the object is dropped.
    #[rule(MEM_02, STREAM_04, STREAM_09)]
    #[allow(unsafe_code, reason = "a declaration only: the caller vouches for the work")]
    pub unsafe fn submit_object<T: InFlight>(
        &self,
        current: &Current<C>,
        call: &'static str,
        object: T,
        queue: impl FnOnce(*mut c_void, &T) -> Result<(), Error>,
    ) -> Result<Pending<C, T>, Failed<T>> {
        let queued = {
            let uses: Vec<_> = object.uses().into_iter().map(|used| &used.0).collect();
            let memory: Vec<_> = object.memory().into_iter().map(|memory| Arc::clone(memory.block())).collect();
            let queue = |stream| queue(stream, &object);
            let streams = current.ledger().streams();
            catch(|| self.queue().submit_foreign(current.here(), streams, call, &uses, &memory, queue))
        };
        let queued = match queued {
            Ok(queued) => queued,
            Err(panic) => {
                drop_quietly(object);
                panic.resume()
            }
        };
        match queued {
            Ok(number) => Ok(Pending::new(object, self.queue(), number)),
            Err(error) => Err(Failed { error, value: object }),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<T: InFlight> sealed_payload::Payload for T {
    /// Nothing to note: a last use asks the streams. This wait says nothing about other work with the same object.
    fn mark_work_done(&self, _: Inside) {}

    fn follow(&self, from: (u64, u64), queue: &RawStream, _: Inside) {
        self.uses().iter().for_each(|used| used.0.follow(from, queue));
        self.memory().iter().for_each(|memory| memory.block().follow_work(from, queue));
    }
}

impl fmt::Debug for LastUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LastUse").field("is_in_doubt", &self.is_in_doubt()).finish_non_exhaustive()
    }
}
