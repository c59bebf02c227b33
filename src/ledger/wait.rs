//! Waits for a whole stream, and for a whole context.

use super::Ledger;
use super::create::is_of_work;
use crate::error::{Boxed, Error};
use crate::ffi::{Here, RawStream, Waiter};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Failures of work on streams that were destroyed since, for waiters that were not informed of them.
#[derive(Default, Debug)]
pub(super) struct LateFailures(Mutex<Late>);

#[derive(Default, Debug)]
struct Late {
    /// The streams of which events mark points.
    streams: Vec<Arc<RawStream>>,
    /// The first failure of which no wait for the context was informed.
    of_the_context: Option<Error>,
}

impl LateFailures {
    fn all(&self) -> MutexGuard<'_, Late> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ledger {
    /// Waits for a stream. Also returns a failure that another wait got, if it was not returned here before.
    #[inline(always)]
    pub(crate) fn synchronize(&self, here: Here<'_>, stream: &RawStream, limit: Option<Duration>) -> Result<(), Error> {
        let waited = stream.synchronize_here(here, limit);
        if waited.is_err() || stream.any_failed() { Self::not_synchronized(stream, waited) } else { Ok(()) }
    }

    #[cold]
    #[inline(never)]
    fn not_synchronized(stream: &RawStream, waited: Result<(), Boxed>) -> Result<(), Error> {
        Self::with_unreported_failure(stream, Waiter::Stream, waited.map_err(Error::from))
    }

    /// Waits for all work in the context, for at most `limit` if there is one.
    pub(crate) fn synchronize_all(&self, limit: Option<Duration>) -> Result<(), Error> {
        self.api.check_process()?;
        let (streams, waited) = self.runs.wait_for_context(self.api, limit);
        let waited = streams
            .iter()
            .fold(waited, |result, stream| Self::with_unreported_failure(stream, Waiter::Context, result));
        let was_told = waited.as_ref().err().is_none_or(is_of_work);
        let late = if was_told { self.late_failures.all().of_the_context.take() } else { None };
        waited.and(late.map_or(Ok(()), Err))
    }

    /// The stream of this context with this id, also one that was destroyed after work on it had failed.
    pub(crate) fn stream_with(&self, id: u64) -> Option<Arc<RawStream>> {
        self.streams
            .get(id)
            .or_else(|| self.late_failures.all().streams.iter().find(|stream| stream.id() == id).cloned())
    }

    /// Removes the row of a stream that was destroyed. Failures of its work are kept for those who were not informed.
    pub(super) fn remove_stream(&self, stream: &Arc<RawStream>) {
        if stream.any_failed() {
            self.keep_failures(stream);
        }
        self.streams.remove(stream);
    }

    #[cold]
    fn keep_failures(&self, stream: &Arc<RawStream>) {
        /// The pointers to an event here and in the ledger.
        const UNNAMED: usize = 2;
        drop(stream.take_spares());
        let mut events = self.events.all();
        events.retain(|event| Arc::strong_count(event) > UNNAMED);
        // Each event of a stream comes after the submission 0.
        let is_marked = |stream: &Arc<RawStream>| events.iter().any(|event| event.covers(stream, 0));
        let unreported = stream.take_failure(Waiter::Context).err();
        let mut late = self.late_failures.all();
        late.of_the_context = late.of_the_context.take().or(unreported);
        late.streams.push(Arc::clone(stream));
        let over = late.streams.extract_if(.., |stream| !is_marked(stream)).collect::<Vec<_>>();
        drop(late);
        drop(over);
    }

    /// Like [`synchronize_all`](Self::synchronize_all), for the ledger itself: failures of queued work remain for the
    /// waiters of that work.
    pub(super) fn settle_all(&self, limit: Duration) -> Result<(), Error> {
        self.runs.wait_for_context(self.api, Some(limit)).1
    }

    /// The result for a waiter of this kind: the error of its own wait, or else a failure that another wait got.
    #[cold]
    fn with_unreported_failure(stream: &RawStream, waiter: Waiter, waited: Result<(), Error>) -> Result<(), Error> {
        match waited {
            Err(error) if !is_of_work(&error) => Err(error),
            waited => {
                let unreported = stream.take_failure(waiter);
                waited.and(unreported)
            }
        }
    }
}
