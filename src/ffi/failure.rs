//! Failures of queued work. The library reports a failure to one wait only. This module reports it to the other waiters
//! for that work.

use super::RawStream;
use super::timeline::{Covers, Waiter};
use crate::error::Error;
use core::sync::atomic::{AtomicBool, Ordering};

/// Whether any wait in this process has ever been given a failure. Until then no wait checks for one.
static ANY_FAILED: AtomicBool = AtomicBool::new(false);

impl RawStream {
    /// The submissions on this stream that a wait for the whole context covers. Call this before the wait starts.
    pub(super) fn covers(&self) -> Covers {
        self.timeline.covers()
    }

    /// Records that the library reported a failure of work to a wait for these submissions.
    pub(super) fn record_failure(&self, covers: Covers, code: i32) {
        self.end_slowly();
        self.timeline.failed(covers, None, code);
    }

    /// The failure of a submission from `since` to `number`, if a wait was given one.
    #[inline]
    pub(crate) fn failure_among(&self, since: u64, number: u64) -> Option<Error> {
        self.timeline.failure_among(since, number).map(|code| Error::WorkFailed { code: code.into() })
    }

    /// Whether any work on this stream may have failed.
    #[inline]
    pub(crate) fn any_failed(&self) -> bool {
        self.timeline.failed_up_to() != 0
    }

    /// The number from which on work was queued after every failure known so far.
    #[inline]
    pub(crate) fn after_failures(&self) -> u64 {
        self.timeline.failed_up_to() + 1
    }

    /// An error if work failed and this kind of waiter was not given the report yet. The failure then counts as
    /// reported.
    #[inline]
    pub(crate) fn tell(&self, listener: Waiter) -> Result<(), Error> {
        self.timeline.untold(listener).map_or(Ok(()), |code| Err(Error::WorkFailed { code: code.into() }))
    }
}

/// The code, if the wait failed because work failed, and not because of a timeout or a capture.
#[cold]
pub(super) fn failure_of_work(error: &Error) -> Option<i32> {
    let code = error.code().filter(|code| code.reports_work())?;
    ANY_FAILED.store(true, Ordering::Release);
    Some(code.number())
}

/// Whether any wait in this process has ever been given a failure.
#[inline]
pub(super) fn any_failed() -> bool {
    ANY_FAILED.load(Ordering::Acquire)
}
