//! The result of an actor's job as a future.

use super::actor::{Actor, ActorEnd};
use crate::brand::Name;
use crate::callback_guard::contained;
use crate::current::Current;
use crate::error::Error;
use crate::ffi::Api;
use crate::panics::{Panic, catch, drop_quietly};
use ascendcl_macros::rule;
use core::fmt;
use core::mem;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The result of a job that an actor was given, as a [`Future`]. See [`Actor::start`].
///
/// It borrows nothing, so a task can own it, on any thread. The job runs also if this is dropped or forgotten. Dropped
/// before the job has run, the actor's thread drops the result; dropped later, the thread that drops this does. A
/// forgotten answer keeps its result for good.
#[must_use = "awaited, it gives the result of the job; dropped, the job runs and its result is lost"]
pub struct Answer<R> {
    slot: Arc<Slot<R>>,
    api: Api,
    ending: Arc<ActorEnd>,
}

assert_impl_all!(Answer<()>: Send, Sync, Unpin);
assert_not_impl_any!(Answer<()>: Clone);

/// Where the actor's thread puts the result, and the task looks for it.
struct Slot<R>(Mutex<SlotState<R>>);

enum SlotState<R> {
    Waiting(Option<Waker>),
    Told(Result<R, Panic>),
    /// The job was dropped.
    NotRun,
    /// The task has the result.
    Taken,
}

impl<R> Slot<R> {
    fn lock(&self) -> MutexGuard<'_, SlotState<R>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the task, if it still waits.
    fn tell(&self, what: SlotState<R>) {
        let before = mem::replace(&mut *self.lock(), what);
        let SlotState::Waiting(Some(waker)) = before else { return };
        // This is code of the executor: it runs without the lock, cannot call the library, and its panic ends here.
        contained(|| waker.wake_by_ref());
        contained(|| drop(waker));
    }

    /// What was told. Otherwise this waker is woken when something is.
    fn poll(&self, waker: &Waker) -> Option<SlotState<R>> {
        // Code of the executor runs without the lock.
        let mut next = Some(waker.clone());
        let mut state = self.lock();
        let told = match &mut *state {
            SlotState::Waiting(before) => {
                mem::swap(before, &mut next);
                None
            }
            SlotState::Taken => None,
            SlotState::Told(_) | SlotState::NotRun => Some(mem::replace(&mut *state, SlotState::Taken)),
        };
        drop(state);
        drop(next);
        told
    }
}

/// The last of the two, the task or the actor's thread, drops a result that nobody has taken. Its panic ends here.
impl<R> Drop for Slot<R> {
    fn drop(&mut self) {
        let state = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        drop_quietly(mem::replace(state, SlotState::Taken));
    }
}

/// What a job has of its slot. If the job is dropped before it has run, the task is told so.
struct Teller<R>(Option<Arc<Slot<R>>>);

impl<R> Teller<R> {
    fn tell(mut self, result: Result<R, Panic>) {
        if let Some(slot) = self.0.take() {
            slot.tell(SlotState::Told(result));
        }
    }
}

impl<R> Drop for Teller<R> {
    fn drop(&mut self) {
        if let Some(slot) = self.0.take() {
            slot.tell(SlotState::NotRun);
        }
    }
}

impl<N: Name, S: 'static> Actor<N, S> {
    /// Queues `job` for the actor's thread, behind all earlier calls, and returns a future of its result: no thread is
    /// blocked for it. The job runs whether or not the future is polled. As many jobs can be queued as there is memory
    /// for, so a program that gets work faster than the device does it sets a limit of its own, for example by a
    /// semaphore.
    ///
    /// The future returns [`Error::ActorEnded`] when the thread has ended before the job, as for [`call`](Self::call);
    /// [`Error::Forked`] in a forked child. A panic of the job continues where the future is polled. After its end the
    /// future is pending forever. The task's waker runs on the actor's thread: there it cannot call the library
    /// ([`Error::InsideCallback`]), and while it runs, no other job does. A panic of the waker ends there.
    ///
    /// `exit` does not wait for the jobs of an actor that still exists, and the library must not be in use then: close the
    /// actor before the process ends, with [`close_by_force`](Self::close_by_force) where it is shared or static.
    ///
    /// A job of this actor that blocks its thread until a later job has its result waits forever. So does code that the
    /// library calls, if the awaited job waits for that code.
    ///
    /// ```
    /// use ascendcl::runtime::Actor;
    /// use ascendcl::{Error, Library};
    ///
    /// ascendcl::names!(Vision);
    ///
    /// let actor = Actor::<Vision, _>::open(Library::Simulator, |current| current.upload(&[1_i32, 2, 3]))?;
    /// // Both are queued before the first is awaited.
    /// let length = actor.start(|_, buffer| buffer.len())?;
    /// let read = actor.start(|current, buffer| buffer.to_vec(current))?;
    /// let (length, read) = pollster::block_on(async { Ok::<_, Error>((length.await?, read.await??)) })?;
    /// assert_eq!((length, read), (3, vec![1, 2, 3]));
    /// # actor.close().unwrap();
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The job is dropped, with [`Error::ActorEnded`] when the thread has ended; [`Error::OwnJob`] in a job of
    /// this actor: it does what it wants itself; [`Error::InsideCallback`] in code that the library calls;
    /// [`Error::Forked`] in a forked child.
    #[rule(THREAD_05)]
    pub fn start<R: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Current<N>, &mut S) -> R + Send + 'static,
    ) -> Result<Answer<R>, Error> {
        self.check_takes_jobs()?;
        let slot = Arc::new(Slot(Mutex::new(SlotState::Waiting(None))));
        let teller = Teller(Some(Arc::clone(&slot)));
        self.queue(Box::new(move |current, state| teller.tell(catch(|| job(current, state)))))?;
        Ok(Answer { slot, api: self.api(), ending: self.ending() })
    }
}

impl<R> Future for Answer<R> {
    type Output = Result<R, Error>;

    fn poll(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Self::Output> {
        // A forked child takes no lock: the actor's thread may have held it at the fork.
        if let Err(error) = self.api.check_process() {
            return Poll::Ready(Err(error));
        }
        match self.slot.poll(task.waker()) {
            Some(SlotState::Told(Ok(result))) => Poll::Ready(Ok(result)),
            Some(SlotState::Told(Err(panic))) => panic.resume(),
            Some(SlotState::NotRun) => Poll::Ready(Err(self.ending.ended_error())),
            Some(SlotState::Waiting(_) | SlotState::Taken) | None => Poll::Pending,
        }
    }
}

/// The task waits no more, so its waker is dropped now. A forked child takes no lock.
impl<R> Drop for Answer<R> {
    fn drop(&mut self) {
        if self.api.check_process().is_err() {
            return;
        }
        let waker = match &mut *self.slot.lock() {
            SlotState::Waiting(waker) => waker.take(),
            SlotState::Told(_) | SlotState::NotRun | SlotState::Taken => None,
        };
        drop_quietly(waker);
    }
}

impl<R> fmt::Debug for Answer<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer").finish_non_exhaustive()
    }
}
