//! Completion as a future.

use super::past::MOMENT;
use super::payload::Payload;
use super::watch::Watched;
use super::{Pending, StreamOps};
use crate::brand::{Brand, Scoped};
use crate::code::Code;
use crate::current::Current;
use crate::error::{Error, Failed};
use crate::ffi::{RawEvent, RawStream};
use core::fmt;
use core::ops::Deref;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use static_assertions::assert_not_impl_any;
use std::sync::Arc;

impl<C: Brand, T: Payload> Pending<C, T> {
    /// A future of the buffers. This records an event behind the work (`aclrtRecordEvent`). A thread of this crate queries
    /// the event (`aclrtQueryEventStatus`) and wakes the task within about a millisecond after the end of the work,
    /// whatever the program's callbacks do. Nothing spins, and no thread is blocked. If the system has no thread for this, the
    /// task polls all the time.
    ///
    /// The future borrows the current context and its stream until it is done or dropped. So it stays on this thread:
    /// use an executor for one thread (`block_on`, `LocalSet`, `LocalPool`). To have two pieces of work under way, await
    /// futures of two streams together.
    ///
    /// The future ends when its stream is idle, because only a wait for the whole stream reports whether work failed. A
    /// borrowed [`Stream`](crate::Stream) takes no work behind this one. Some streams have several handles: the default
    /// stream, [kept](crate::raw::KeptStream) streams that are lent, streams that were
    /// [adopted](Current::adopt_stream), and a stream by `&mut &stream`. If later work comes through another handle, the
    /// future ends after that, and as long as there always is some, it does not end. Its task is woken about every
    /// millisecond until then. A poll never waits for that work.
    ///
    /// The task's waker runs on the thread of this crate. There it cannot call the library
    /// ([`Error::InsideCallback`]), and while it runs, no other task is woken. A panic of the waker ends there.
    ///
    /// To drop or forget the future is to drop or forget the work: the buffers stay allocated until the work is done.
    ///
    /// ```
    /// # ascendcl::run(ascendcl::Library::Simulator, |current| {
    /// let mut stream = current.stream()?;
    /// let work = stream.set_bytes(current, current.device_buffer::<u8>(2)?, 1)?;
    /// let buffer = pollster::block_on(work.into_future(current, &mut stream)?)?;
    /// assert_eq!(buffer.to_vec(current)?, [1, 1]);
    /// # Ok::<_, ascendcl::Error>(())
    /// # })?;
    /// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the work unchanged, with [`Error::OtherStream`] when `stream` is not its own, or [`Error::Vendor`].
    pub fn into_future<'s, Q: Deref<Target = StreamOps<C>>>(
        self,
        current: &'s Current<C>,
        stream: &'s mut Q,
    ) -> Result<Completion<'s, C, T>, Failed<Self>> {
        // Dereferenced only once: a pointer type of the user may return another stream the next time.
        let queue = stream.queue();
        match self.check_same_stream(queue).and_then(|()| event_behind(current, queue)) {
            Ok(event) => {
                let watched = Watched::new(queue, event, current.ledger().api());
                Ok(Completion { pending: Some(self), watched, current })
            }
            Err(error) => Err(Failed { error, value: self }),
        }
    }
}

/// An event behind everything that is queued by now: a spare one of the stream's, or a new one.
pub(super) fn event_behind<C: Brand>(current: &Current<C>, queue: &Arc<RawStream>) -> Result<Arc<RawEvent>, Error> {
    // A forked child takes no lock. An event of another context would stay among the stream's spares.
    current.ledger().api().check_process()?;
    queue.check_current()?;
    let event = queue.take_spare().map_or_else(|| current.ledger().create_event(current.here()), Ok)?;
    match event.record(current.here(), queue) {
        Ok(()) => Ok(event),
        Err(error) => {
            queue.spare(event);
            Err(error.into())
        }
    }
}

/// Work in flight as a [`Future`] of its buffers. See [`Pending::into_future`].
#[must_use = "awaited, it says whether the work failed, and gives back what it uses"]
pub struct Completion<'s, C: Brand, T> {
    /// `None` once it is done.
    pending: Option<Pending<C, T>>,
    watched: Watched,
    /// Borrowed for as long as the future may be polled: no other context is current then. The stream is borrowed with
    /// it, which its lifetime says.
    current: &'s Current<C>,
}

assert_not_impl_any!(Completion<'static, Scoped<'static>, ()>: Send, Sync, Clone);

impl<C: Brand, T: Payload> Completion<'_, C, T> {
    /// The work itself, to be waited for with a time limit; `None` when the future is done.
    pub fn into_pending(self) -> Option<Pending<C, T>> {
        self.pending
    }

    /// Whether a wait would return at once. Asks the library about the stream, in case the event cannot be queried, and if
    /// work may be behind the event, through another handle.
    fn is_over(&self, pending: &Pending<C, T>, waker: &Waker) -> Result<bool, Error> {
        let is_signalled = self.watched.poll_signal(waker);
        let over = is_signalled && self.watched.is_last() || pending.is_complete(self.current)?;
        if !over {
            self.be_woken(is_signalled, waker);
        }
        Ok(over)
    }

    /// Ensures that the task is woken again.
    fn be_woken(&self, is_signalled: bool, waker: &Waker) {
        match self.watched.by_thread {
            true if is_signalled => self.watched.look_later(),
            true => {}
            // The system could not start the thread, so the task polls.
            false => waker.wake_by_ref(),
        }
    }
}

/// A wait that returns at once. `Err` returns the work if the stream is busy again.
fn wait_briefly<C: Brand, T: Payload>(
    pending: Pending<C, T>,
    current: &Current<C>,
) -> Result<Result<T, Failed<Pending<C, T>>>, Pending<C, T>> {
    match pending.wait_within(current, MOMENT) {
        Err(Failed { error, value }) if error.code().is_some_and(Code::is_timeout) => Err(value),
        // An old release has no wait with a limit. The stream was idle a moment ago.
        Err(Failed { error: Error::MissingFunction(_), value }) => Ok(value.wait(current)),
        waited => Ok(waited),
    }
}

impl<C: Brand, T: Payload> Future for Completion<'_, C, T> {
    type Output = Result<T, Failed<Pending<C, T>>>;

    /// Polling after completion returns `Pending` forever.
    fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(pending) = &self.pending else { return Poll::Pending };
        // The work stays in its field meanwhile: this runs code of the waker, which may panic.
        let over = self.is_over(pending, task.waker());
        if matches!(over, Ok(false)) {
            return Poll::Pending;
        }
        let Some(pending) = self.pending.take() else { return Poll::Pending };
        match over {
            // Only a synchronise reports failed work.
            Ok(_) => match wait_briefly(pending, self.current) {
                Ok(waited) => Poll::Ready(waited),
                Err(pending) => {
                    self.pending = Some(pending);
                    self.be_woken(true, task.waker());
                    Poll::Pending
                }
            },
            Err(error) => Poll::Ready(Err(Failed { error, value: pending })),
        }
    }
}

// Nothing in it is pinned: the payload is only moved.
impl<C: Brand, T> Unpin for Completion<'_, C, T> {}

impl<C: Brand, T> fmt::Debug for Completion<'_, C, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Completion").field("pending", &self.pending).finish_non_exhaustive()
    }
}
