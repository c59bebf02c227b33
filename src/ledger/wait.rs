//! Waits for a whole stream, and for a whole context.

use super::Ledger;
use crate::code::Code;
use crate::error::Error;
use crate::ffi::{Here, Listener, RawStream};
use std::time::Duration;

impl Ledger {
    /// Waits for a stream. Also returns a failure that another wait got, if it was not returned here before.
    #[inline(always)]
    pub(crate) fn synchronize(&self, here: Here<'_>, stream: &RawStream, limit: Option<Duration>) -> Result<(), Error> {
        let waited = stream.synchronize_here(here, limit);
        if waited.is_ok() && !stream.any_failed() {
            return Ok(());
        }
        Self::heard(stream, Listener::Stream, waited.map_err(Error::from))
    }

    /// Waits for all work in the context, for at most `limit` if there is one.
    pub(crate) fn synchronize_all(&self, limit: Option<Duration>) -> Result<(), Error> {
        self.api.is_of_this_process()?;
        let (streams, waited) = self.runs.wait_for_context(self.api, limit);
        streams.iter().fold(waited, |result, stream| Self::heard(stream, Listener::Context, result))
    }

    /// Like [`synchronize_all`](Self::synchronize_all), for the ledger itself: failures of queued work remain for the
    /// waiters of that work.
    pub(super) fn settle_all(&self, limit: Duration) -> Result<(), Error> {
        self.runs.wait_for_context(self.api, Some(limit)).1
    }

    /// The result for a waiter of this kind: the error of its own wait, or else a failure that another wait got.
    #[cold]
    fn heard(stream: &RawStream, listener: Listener, waited: Result<(), Error>) -> Result<(), Error> {
        match waited {
            Err(error) if error.code().is_none_or(Code::is_timeout) => Err(error),
            waited => {
                let told = stream.tell(listener);
                waited.and(told)
            }
        }
    }
}
