//! Write-ahead stamps: which work was queued when, and what is known to be done.
//!
//! A stream's [`Clock`] counts submissions. Around each vendor call that queues work, the memory that the work uses is
//! marked *pending*, and after the call it gets the number of the submission. A synchronise notes the count before it
//! starts, and when it succeeds everything up to that count is done: a submission by another thread in the meantime has
//! a higher number, or none yet.
//!
//! Memory is idle when it was never used, or when its last number is done. The order matters:
//! *pending* before the call, the number after it, the count before the wait. `tests/stamps/` checks it with loom, for
//! all interleavings of a few threads.

use super::atomic::{AtomicU64, Ordering};

/// The submissions of one stream.
#[derive(Debug)]
pub(crate) struct Clock {
    /// How many submissions the library has taken.
    submitted: AtomicU64,
    /// Up to which of them a synchronise has returned.
    done: AtomicU64,
}

/// Where a piece of memory (or a model) was last used.
#[derive(Debug)]
pub(crate) struct LastUse {
    stream: AtomicU64,
    number: AtomicU64,
    /// The number of the context that the memory is of, 0 for none; [`IN_DOUBT`] from a doubt on, for good. So whoever
    /// uses the memory compares one word.
    context: AtomicU64,
}

/// No context's number.
const IN_DOUBT: u64 = u64::MAX - 1;
/// `LastUse::number` while the vendor call is under way.
const PENDING: u64 = u64::MAX;
/// `LastUse::stream` before the first use.
const NEVER: u64 = 0;
/// `LastUse::stream` after use on a second stream: idle when every stream of the context is.
const SEVERAL: u64 = u64::MAX;

/// What a use leaves to be waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Awaited {
    /// This submission of this stream.
    Submission { stream: u64, number: u64 },
    /// Work on several streams.
    Several,
}

impl Clock {
    pub(crate) fn new() -> Self {
        Self { submitted: AtomicU64::new(0), done: AtomicU64::new(0) }
    }

    /// The number of a submission that the library has just taken.
    #[inline]
    pub(crate) fn stamp(&self) -> u64 {
        self.submitted.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// To be asked before a synchronise starts: what it will cover.
    #[inline]
    pub(crate) fn mark(&self) -> u64 {
        self.submitted.load(Ordering::Acquire)
    }

    /// To be told after the synchronise succeeded.
    #[inline]
    pub(crate) fn complete_up_to(&self, mark: u64) {
        self.done.fetch_max(mark, Ordering::AcqRel);
    }

    /// The last submission that is known to be done.
    #[inline]
    pub(crate) fn done(&self) -> u64 {
        self.done.load(Ordering::Acquire)
    }

    #[inline]
    pub(crate) fn has_done(&self, number: u64) -> bool {
        number <= self.done()
    }

    /// Whether everything that was submitted is done.
    pub(crate) fn is_idle(&self) -> bool {
        self.has_done(self.mark())
    }
}

impl LastUse {
    /// Of memory in the context with this number.
    pub(crate) fn of(context: u64) -> Self {
        Self { stream: AtomicU64::new(NEVER), number: AtomicU64::new(0), context: AtomicU64::new(context) }
    }

    /// Before the vendor call.
    #[inline]
    pub(crate) fn begin(&self, stream: u64) {
        let before = self.stream.load(Ordering::Relaxed);
        self.number.store(PENDING, Ordering::Relaxed);
        if before == NEVER {
            self.stream.store(stream, Ordering::Release);
        } else if before != stream {
            self.is_of_several();
        }
    }

    #[cold]
    fn is_of_several(&self) {
        self.stream.store(SEVERAL, Ordering::Release);
    }

    /// After it, with the number that [`Clock::stamp`] gave.
    #[inline]
    pub(crate) fn end(&self, number: u64) {
        self.number.store(number, Ordering::Release);
    }

    /// All uses so far are done, and known to be: nothing is awaited until the next use. But for one in doubt: whoever
    /// says this knows nothing of it.
    #[inline]
    pub(crate) fn rest(&self) {
        if !self.is_in_doubt() {
            self.stream.store(NEVER, Ordering::Release);
        }
    }

    /// Whether nothing is awaited, by a look at this alone.
    #[inline]
    pub(crate) fn is_at_rest(&self) -> bool {
        self.stream.load(Ordering::Acquire) == NEVER
    }

    /// What all uses so far have to wait for is the submission with this number: it comes after each of them. But for
    /// one in doubt: it may be anywhere.
    pub(crate) fn follow(&self, stream: u64, number: u64) {
        let stream = if self.is_in_doubt() { SEVERAL } else { stream };
        self.number.store(PENDING, Ordering::Relaxed);
        self.stream.store(stream, Ordering::Release);
        self.number.store(number, Ordering::Release);
    }

    /// What all uses so far have to wait for is on several streams.
    pub(crate) fn follow_several(&self) {
        self.number.store(PENDING, Ordering::Relaxed);
        self.stream.store(SEVERAL, Ordering::Release);
        self.number.store(0, Ordering::Release);
    }

    /// What is awaited, for the one who has the memory; `None` at rest. Of a call that has not come back, it is a number
    /// that no stream reaches.
    pub(crate) fn awaited(&self) -> Option<Awaited> {
        match self.stream.load(Ordering::Acquire) {
            NEVER => None,
            SEVERAL => Some(Awaited::Several),
            stream => Some(Awaited::Submission { stream, number: self.number.load(Ordering::Acquire) }),
        }
    }

    /// Nobody knows whether work that uses this was queued, and nobody could wait for it.
    pub(crate) fn mark_in_doubt(&self) {
        self.context.store(IN_DOUBT, Ordering::Release);
    }

    /// The number of the context that the memory is of; no context's, where it is in doubt.
    #[inline]
    pub(crate) fn context(&self) -> u64 {
        self.context.load(Ordering::Acquire)
    }

    #[inline]
    pub(crate) fn is_in_doubt(&self) -> bool {
        self.context() == IN_DOUBT
    }

    /// Whether all work that it stands for is done, by what is known of the streams: whether a stream (by its id) has
    /// done a submission, and whether all of them are idle.
    pub(crate) fn is_over(&self, has_done: impl FnOnce(u64, u64) -> bool, are_idle: impl FnOnce() -> bool) -> bool {
        let stream = self.stream.load(Ordering::Acquire);
        match (stream, self.number.load(Ordering::Acquire)) {
            (NEVER, _) => true,
            // A vendor call is under way.
            (_, PENDING) => false,
            (SEVERAL, _) => are_idle(),
            (stream, number) => has_done(stream, number),
        }
    }
}
