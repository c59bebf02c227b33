//! Write-ahead stamps: which work was queued when, and what is known to be done.
//!
//! A stream's [`Clock`] counts the submissions that the library has taken. Memory that a vendor call is to use gets the
//! number of the submission before the call: the next one after the count. The count follows after the call. A
//! synchronise notes the count before it starts, and when it succeeds everything up to that count is done.
//!
//! Memory is idle when it was never used, or when its last number is done.
//!
//! # One thread at a time
//!
//! The next number is known before the call ([`Next`]) because one thread at a time queues on a stream: it has the
//! stream's handle (THREAD-03), and no code of the program runs between the look at the count and its change. Where that
//! does not hold, the number is not known before the call ([`Unknown`]): several threads have the default stream, and a
//! call may run code of the program that queues work itself. There the memory is marked *pending*, which is a number that
//! no stream reaches, and gets its number after the call.
//!
//! # Invariant
//!
//! 1. While a call is under way, what it uses has a number above the count, or is pending.
//! 2. Work whose number is at most the count was queued before the count got there.
//! 3. When a number is done, all work up to it is complete.
//!
//! # Why these orderings suffice
//!
//! * The number, or *pending*, is stored before the call, and the count after it: who sees the work in the queue sees the
//!   number, and not the one before.
//! * The count changes with `Release` after the call, and is read with `Acquire` before a wait: what the mark counts was
//!   queued before the wait began. A plain store is enough for one thread at a time: the next thread got the handle from
//!   it. Among several it is an addition, and each takes the number that the addition gave.
//! * A call that failed changes the count by a maximum: code of the program may have run since (it hears of errors), and
//!   the count never falls.
//! * *Done* is stored with `Release` after the wait and read with `Acquire`: who frees memory comes after the end of the
//!   wait. It never falls: of two waits the later mark counts.
//! * Memory of several streams is idle when all streams are. A call that is under way is not in a count, so its stream
//!   keeps its number beside the count.
//!
//! `tests/stamps/` checks it with loom, for all interleavings of a few threads.

use super::atomic::{AtomicU64, Ordering};

/// The submissions of one stream.
#[derive(Debug)]
pub(crate) struct Clock {
    /// How many submissions the library has taken.
    submitted: AtomicU64,
    /// Up to which of them a synchronise has returned.
    done: AtomicU64,
    /// The last submission for which something is used that other streams used, too.
    announced: AtomicU64,
}

/// What is known of a submission's number before the library has taken it.
pub(crate) trait Ticket: Copy {
    /// Whether the number is known.
    const IS_KNOWN: bool;
    /// For the stamps: the number, or *pending*.
    fn stamp(self) -> u64;
    /// The library has taken the submission. Answers with its number.
    fn taken(self, clock: &Clock) -> u64;
    /// The call failed, and may have queued work. Answers with the number of that.
    fn may_be_taken(self, clock: &Clock) -> u64;
}

/// The [next](Clock::next) number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Next(u64);

/// Other threads may queue work on the stream during the call, or other code of this thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unknown;

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
/// `LastUse::number` while a vendor call is under way whose number is not known.
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
        Self { submitted: AtomicU64::new(0), done: AtomicU64::new(0), announced: AtomicU64::new(0) }
    }

    /// The number that the next submission will have, for the one who has the stream's handle.
    #[inline]
    pub(crate) fn next(&self) -> Next {
        Next(self.submitted.load(Ordering::Relaxed) + 1)
    }

    /// The number of a submission that the library has just taken, where it was not known before.
    pub(crate) fn stamp(&self) -> u64 {
        self.submitted.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// To be asked before a synchronise starts: what it will cover.
    #[inline]
    pub(crate) fn mark(&self) -> u64 {
        self.submitted.load(Ordering::Acquire)
    }

    /// To be told after the synchronise succeeded. `before` is what was known to be done.
    #[inline]
    pub(crate) fn complete_up_to(&self, before: u64, mark: u64) {
        if self.done.compare_exchange(before, mark, Ordering::AcqRel, Ordering::Relaxed).is_err() {
            self.complete_among_others(mark);
        }
    }

    #[cold]
    fn complete_among_others(&self, mark: u64) {
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
        self.has_done(self.mark()) && self.has_done(self.announced.load(Ordering::Acquire))
    }
}

impl Ticket for Next {
    const IS_KNOWN: bool = true;

    #[inline]
    fn stamp(self) -> u64 {
        self.0
    }

    #[inline]
    fn taken(self, clock: &Clock) -> u64 {
        clock.submitted.store(self.0, Ordering::Release);
        self.0
    }

    fn may_be_taken(self, clock: &Clock) -> u64 {
        clock.submitted.fetch_max(self.0, Ordering::AcqRel);
        self.0
    }
}

impl Ticket for Unknown {
    const IS_KNOWN: bool = false;

    fn stamp(self) -> u64 {
        PENDING
    }

    fn taken(self, clock: &Clock) -> u64 {
        clock.stamp()
    }

    fn may_be_taken(self, clock: &Clock) -> u64 {
        clock.stamp()
    }
}

impl LastUse {
    /// Of memory in the context with this number.
    pub(crate) fn of(context: u64) -> Self {
        Self { stream: AtomicU64::new(NEVER), number: AtomicU64::new(0), context: AtomicU64::new(context) }
    }

    /// Before the vendor call.
    #[inline]
    pub(crate) fn begin(&self, stream: u64, clock: &Clock, ticket: impl Ticket) {
        let before = self.stream.load(Ordering::Relaxed);
        self.number.store(ticket.stamp(), Ordering::Relaxed);
        if before == NEVER {
            self.stream.store(stream, Ordering::Release);
        } else if before != stream {
            self.is_of_several(clock, ticket);
        }
    }

    #[cold]
    #[inline(never)]
    fn is_of_several(&self, clock: &Clock, ticket: impl Ticket) {
        if ticket.stamp() != PENDING {
            clock.announced.store(ticket.stamp(), Ordering::Release);
        }
        self.stream.store(SEVERAL, Ordering::Release);
    }

    /// After it, where the number was not known.
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
