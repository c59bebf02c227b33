//! The end of work as a future that needs no context.

use super::future::event_behind;
use super::payload::Payload;
use super::watch::Watched;
use super::{Pending, StreamOps};
use crate::brand::Brand;
use crate::callback_guard::InCallback;
use crate::current::Current;
use crate::error::Failed;
use core::fmt;
use core::pin::Pin;
use core::task::{Context, Poll};

impl<C: Brand, T: Payload> Pending<C, T> {
    /// A future that completes when the work is done, and gives this `Pending` back. Then [wait](Self::wait) for the
    /// `Pending`. The future borrows nothing, so with the work of a [`Runtime`](crate::Runtime) it is `'static` and
    /// `Send`: for executors with several threads.
    ///
    /// This records an event behind the work (`aclrtRecordEvent`). A thread of this crate queries the event
    /// (`aclrtQueryEventStatus`) and wakes the task. The wait that follows reports failures. It also blocks for work that
    /// was queued later on the same stream, so give each request a stream of its own while it is under way.
    ///
    /// ```
    /// use ascendcl::{Current, Error, HostBuffer, Library, Runtime};
    ///
    /// ascendcl::names!(Vision);
    ///
    /// async fn round_trip(runtime: &Runtime<Vision>, numbers: &[f32]) -> Result<Vec<f32>, Error> {
    ///     let under_way = runtime.with(|current| {
    ///         let (stream, mut from) = (current.stream()?, current.host_buffer(numbers.len())?);
    ///         from.slice_mut(current)?.copy_from_slice(numbers);
    ///         let device = stream.copy_to_device(current, from, current.device_buffer(numbers.len())?)?.split().1;
    ///         let back = stream.copy_to_host(current, device, current.host_buffer(numbers.len())?)?;
    ///         Ok::<_, Error>(back.when_done(current, &stream)?)
    ///     })??;
    ///     let done = under_way.await;
    ///     runtime.with(|current| Ok(done.wait(current)?.1.slice(current)?.to_vec()))?
    /// }
    ///
    /// # fn sent<F: Send + 'static>(_: F) {}
    /// let runtime = Runtime::open(Library::Simulator)?;
    /// # let runtime: &'static Runtime<Vision> = Box::leak(Box::new(runtime));
    /// let task = round_trip(&runtime, &[1.0, 2.0]);
    /// # let task: std::pin::Pin<Box<dyn Future<Output = _> + Send>> = Box::pin(task);
    /// # assert_eq!(pollster::block_on(task)?, [1.0, 2.0]);
    /// # runtime.close().unwrap();
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// To drop or forget the future is to drop or forget the work: the buffers stay allocated until the work is done.
    ///
    /// # Errors
    ///
    /// Returns the work unchanged, with [`Error::OtherStream`](crate::Error::OtherStream) when `stream` is not its own,
    /// or [`Error::Vendor`](crate::Error::Vendor).
    pub fn when_done(self, current: &Current<C>, stream: &StreamOps<C>) -> Result<WhenDone<C, T>, Failed<Self>> {
        let (queue, api) = (stream.queue(), current.ledger().api());
        match self.check_same_stream(queue).and_then(|()| event_behind(current, queue)) {
            Ok(event) => {
                let watched = Watched::new(queue, event, api);
                Ok(WhenDone { pending: Some(self), watched })
            }
            Err(error) => Err(Failed { error, value: self }),
        }
    }
}

/// Work in flight as a [`Future`] of its [`Pending`]. See [`Pending::when_done`].
#[must_use = "awaited, it gives the `Pending`, whose `wait` says whether the work failed, and gives back what it uses"]
pub struct WhenDone<C: Brand, T> {
    /// `None` once it is done.
    pending: Option<Pending<C, T>>,
    watched: Watched,
}

impl<C: Brand, T> WhenDone<C, T> {
    /// The work itself, to be waited for with a time limit; `None` when the future is done.
    pub fn into_pending(self) -> Option<Pending<C, T>> {
        self.pending
    }

    /// Whether the wait would return at once, as far as the event tells. The wait itself reports the rest.
    fn is_over(&self) -> bool {
        // Inside a callback the library cannot be asked; the watching thread asks it.
        InCallback::check_outside().is_ok() && self.watched.is_over()
    }
}

impl<C: Brand, T> Future for WhenDone<C, T> {
    type Output = Pending<C, T>;

    /// Polling after completion returns `Pending` forever.
    fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Self::Output> {
        // The work stays in its field meanwhile: a waker is code of the user, which may panic.
        if self.watched.poll_signal(task.waker()) || self.is_over() {
            return self.pending.take().map_or(Poll::Pending, Poll::Ready);
        }
        if !self.watched.by_thread {
            // The system could not start the thread, so the task polls.
            task.waker().wake_by_ref();
        }
        Poll::Pending
    }
}

// Nothing in it is pinned: the payload is only moved.
impl<C: Brand, T> Unpin for WhenDone<C, T> {}

impl<C: Brand, T> fmt::Debug for WhenDone<C, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WhenDone").field("pending", &self.pending).finish_non_exhaustive()
    }
}
