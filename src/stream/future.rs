//! Completion as a future.

use super::payload::Payload;
use super::{Pending, Tasks};
use crate::brand::Unnamed;
use crate::current::Current;
use crate::error::{Error, Undone};
use core::fmt;
use core::ops::Deref;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use static_assertions::assert_not_impl_any;
use std::sync::{Arc, Mutex, MutexGuard};

impl<'c, T: Payload, N> Pending<'c, T, N> {
    /// A future of the buffers. A callback behind the work (`aclrtLaunchHostFunc`) wakes its task; nothing spins, and no
    /// thread is blocked.
    ///
    /// The future has the current context and its stream until it is done or dropped. So it stays on this thread, as
    /// executors for one thread let it (`block_on`, `LocalSet`, `LocalPool`); and nothing is queued behind the work that
    /// the end of the future would have to wait for, too; unless the stream is given as one of several pointers to it
    /// (`&mut &stream`) and another one is used. To have two pieces of work under way, await futures of two streams
    /// together.
    ///
    /// Dropping or forgetting the future is dropping or forgetting the work: what it uses stays until it is done. A waker
    /// that never comes, because the stream's work was discarded, is made up for at the next poll.
    ///
    /// # Errors
    ///
    /// The work as it was: [`Error::OtherStream`] when `stream` is not its own, [`Error::MissingFunction`] on releases
    /// without callbacks, or [`Error::Vendor`].
    pub fn into_future<'s, Q: Deref<Target = Tasks<'c, N>>>(
        self,
        current: &'s Current<'c, N>,
        stream: &'s mut Q,
    ) -> Result<Completion<'s, 'c, T, N>, Undone<Self>> {
        let signal = Arc::new(Signal::default());
        let wakes = Arc::clone(&signal);
        // Looked at once: a pointer of the user's may name another stream the next time.
        let queue = stream.queue();
        let queued = self.is_on(queue).and_then(|()| {
            let api = current.ledger().api();
            queue.call_back_with(api, wakes, |signal| signal.give()).map_err(|(error, _)| error)
        });
        match queued {
            Ok(()) => Ok(Completion { pending: Some(self), signal, current }),
            Err(error) => Err(Undone { error, value: self }),
        }
    }
}

/// Work in flight as a [`Future`] of its buffers. See [`Pending::into_future`].
#[must_use = "the buffers stay out of reach until the future is awaited"]
pub struct Completion<'s, 'c, T, N = Unnamed> {
    /// `None` once it is done.
    pending: Option<Pending<'c, T, N>>,
    signal: Arc<Signal>,
    /// Borrowed for as long as the future may be polled: no other context is current then. The stream is borrowed with
    /// it, which its lifetime says.
    current: &'s Current<'c, N>,
}

assert_not_impl_any!(Completion<'static, 'static, ()>: Send, Sync, Clone);

impl<'c, T: Payload, N> Completion<'_, 'c, T, N> {
    /// The work itself, to be waited for with a time limit; `None` when the future is done.
    pub fn into_pending(self) -> Option<Pending<'c, T, N>> {
        self.pending
    }

    /// Whether the end would not block. The library answers for the case that the callback was discarded.
    fn is_over(&self, pending: &Pending<'c, T, N>, waker: &Waker) -> Result<bool, Error> {
        if self.signal.is_given_or_wakes(waker) { Ok(true) } else { pending.is_done(self.current) }
    }
}

impl<'c, T: Payload, N> Future for Completion<'_, 'c, T, N> {
    type Output = Result<T, Undone<Pending<'c, T, N>>>;

    /// Polled again after it was done, it is pending for ever.
    fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(pending) = self.pending.take() else { return Poll::Pending };
        match self.is_over(&pending, task.waker()) {
            // Told or not: a synchronise is what reports failed work, and with nothing behind the work it is immediate.
            Ok(true) => Poll::Ready(pending.wait(self.current)),
            Ok(false) => {
                self.pending = Some(pending);
                Poll::Pending
            }
            Err(error) => Poll::Ready(Err(Undone { error, value: pending })),
        }
    }
}

// Nothing in it is pinned: the payload is only moved.
impl<T, N> Unpin for Completion<'_, '_, T, N> {}

/// From the callback to the task.
#[derive(Default)]
struct Signal(Mutex<State>);

#[derive(Default)]
struct State {
    given: bool,
    waker: Option<Waker>,
}

impl Signal {
    fn give(&self) {
        let waker = {
            let mut state = self.lock();
            state.given = true;
            state.waker.take()
        };
        // Code of the executor: not under the lock.
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn is_given_or_wakes(&self, waker: &Waker) -> bool {
        let next = waker.clone();
        let mut state = self.lock();
        let before = state.waker.replace(next);
        let given = state.given;
        drop(state);
        drop(before);
        given
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl<T, N> fmt::Debug for Completion<'_, '_, T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Completion").field("pending", &self.pending).finish_non_exhaustive()
    }
}
