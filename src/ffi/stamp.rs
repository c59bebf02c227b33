//! Write-ahead stamps: which work was queued when, and what is known to be done.
//!
//! A stream's [`Clock`] counts the submissions that the library has taken. Before a vendor call, the memory that the
//! call is to use gets the number of the submission: the count plus one. After the call, the count is raised. A
//! synchronise notes the count before it starts. When it succeeds, everything up to that count is done.
//!
//! Memory is idle if it was never used, or if its last number is done. After a forced reset of the device nothing that
//! was queued runs any more, so everything up to the count is done without a synchronise.
//!
//! A call that returns when its work is done needs no stamps: what it uses has a handle during the call. It writes them
//! if it fails, because the work may still run then (`RawStream::after_failed_run`).
//!
//! # One thread at a time
//!
//! The next number is known before the call ([`Next`]) because only one thread at a time queues work on a stream: the
//! thread that has the stream's handle (THREAD-03). No code of the program runs between reading the count and changing
//! it. In two cases this does not hold, and the number is not known before the call ([`Unknown`]): several threads
//! share the default stream, and a call may run code of the program that itself queues work. In these cases the memory
//! is marked *pending*, a number that no stream reaches, and gets its number after the call.
//!
//! A known number is also not used for memory that another stream used: such a stamp may have to stand for several
//! streams ([`is_free_for`](LastUse::is_free_for)).
//!
//! # Invariant
//!
//! 1. While a call is under way, everything that it uses has a number above the count, or is pending.
//! 2. Work whose number is at most the count was queued before the count reached that number.
//! 3. When a number is done, all work up to it is complete.
//!
//! # Why these orderings suffice
//!
//! * The number, or *pending*, is stored before the call, and the count after it. A thread that sees the work in the
//!   queue therefore sees its number, and not the previous one.
//! * The count changes with `Release` after the call, and is read with `Acquire` before a wait. So all work that the
//!   mark counts was queued before the wait began. Where one thread at a time queues work, a plain store is enough,
//!   because the next thread got the handle from this one. Where several threads queue work, the count is changed by an
//!   addition, and each thread takes the number that its addition returned.
//! * A failed call changes the count by a maximum. Code of the program may have run since (it is informed of errors),
//!   and the count must never fall.
//! * *Done* is stored with `Release` after the wait and read with `Acquire`, so a thread that frees memory does so
//!   after the end of the wait. *Done* never falls: of two waits, the later mark counts.
//! * Memory that several streams used is idle when all streams are. A call that is under way is not in the count, but
//!   its memory is pending until the call is counted.
//!
//! `tests/stamps/` checks this with loom, for all interleavings of a few threads.

use super::atomic::{AtomicU64, Ordering};

/// The submissions of one stream.
#[derive(Debug)]
pub(crate) struct Clock {
    /// How many submissions the library has taken.
    submitted: AtomicU64,
    /// The last submission that a synchronise is known to have covered.
    done: AtomicU64,
}

/// What is known of a submission's number before the library has taken the submission.
pub(crate) trait Ticket: Copy {
    /// Whether the number is known.
    const IS_KNOWN: bool;
    /// Stamps the memory before the vendor call.
    fn begin(self, used: &LastUse, stream: u64);
    /// Counts the submission, which the library has taken. `uses` are the stamps of all that it uses. Returns its number.
    fn taken(self, clock: &Clock, uses: &[&LastUse]) -> u64;
    /// Counts the submission of a call that failed and may have queued work. Returns its number.
    fn count_doubtful(self, clock: &Clock, uses: &[&LastUse]) -> u64;
}

/// The next number of a stream, for memory that [is free](LastUse::is_free_for) for that stream. Work that uses no memory
/// has `None` here.
///
/// After the call the number is read from a stamp, or from the count, so that nothing keeps it during the call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Next(Option<u64>);

/// No number: other threads, or other code of this thread, may queue work on the stream during the call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unknown;

/// What keeps a call from a fast path: zero if nothing does. It is a word, so that one jump decides about all conditions
/// together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Obstacles(u64);

impl Obstacles {
    pub(crate) const NONE: Self = Self(0);

    /// None if the words are equal.
    #[inline(always)]
    pub(crate) fn unless_equal(one: u64, other: u64) -> Self {
        Self(one ^ other)
    }

    /// One if this is so.
    #[inline(always)]
    pub(crate) fn when(is_so: bool) -> Self {
        Self(u64::from(is_so))
    }

    #[inline(always)]
    pub(crate) fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    #[inline(always)]
    pub(super) fn is_none(self) -> bool {
        self.0 == 0
    }
}

/// Where a piece of memory (or a model) was last used.
#[derive(Debug)]
pub(crate) struct LastUse {
    stream: AtomicU64,
    number: AtomicU64,
    /// The number of the context to which the memory belongs, or 0 for none. The bits above it say where a block is
    /// (`Home::in_context`). While a use is in doubt, this is [`IN_DOUBT`] instead, so a fast path checks context,
    /// place and doubt by one comparison.
    context: AtomicU64,
}

/// Not the number of any context.
const IN_DOUBT: u64 = u64::MAX - 1;
/// Not the number of any context either.
const CHECKED_EACH_TIME: u64 = u64::MAX - 2;
/// `LastUse::number` while a vendor call whose number is not known is under way.
const PENDING: u64 = u64::MAX;
/// `LastUse::stream` before the first use.
const NEVER: u64 = 0;
/// `LastUse::stream` after use on a second stream. The memory is idle when every stream of the context is.
const SEVERAL: u64 = u64::MAX;

/// The work that must be complete before memory is idle.
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

    /// The number that the next submission will have. Only the holder of the stream's handle may ask, and only for
    /// memory that [is free](LastUse::is_free_for) for this stream.
    #[inline(always)]
    pub(super) fn next(&self) -> Next {
        Next(Some(self.after_last()))
    }

    #[inline(always)]
    fn after_last(&self) -> u64 {
        self.submitted.load(Ordering::Relaxed) + 1
    }

    /// Counts a submission that the library has just taken and whose number was not known before. Returns its number.
    pub(crate) fn count_submission(&self) -> u64 {
        self.submitted.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// The last submission that a synchronise will cover. Call this before the synchronise starts.
    #[inline]
    pub(crate) fn last_submitted(&self) -> u64 {
        self.submitted.load(Ordering::Acquire)
    }

    /// Records that a synchronise succeeded. `before` is the number that was known to be done.
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

    /// Whether every submission is done.
    #[inline]
    pub(crate) fn is_idle(&self) -> bool {
        self.has_done(self.last_submitted())
    }
}

impl Next {
    /// That of work that uses no memory, or whose memory is stamped already.
    pub(super) const OF_STAMPED: Self = Self(None);

    #[inline(always)]
    fn stamped(uses: &[&LastUse]) -> Option<u64> {
        uses.first().map(|used| used.number.load(Ordering::Relaxed))
    }
}

impl Ticket for Next {
    const IS_KNOWN: bool = true;

    #[inline(always)]
    fn begin(self, used: &LastUse, stream: u64) {
        // Work without a number uses no memory, and would be pending.
        used.number.store(self.0.unwrap_or(PENDING), Ordering::Relaxed);
        used.stream.store(stream, Ordering::Release);
    }

    #[inline(always)]
    fn taken(self, clock: &Clock, uses: &[&LastUse]) -> u64 {
        let number = Self::stamped(uses).unwrap_or_else(|| clock.after_last());
        clock.submitted.store(number, Ordering::Release);
        number
    }

    fn count_doubtful(self, clock: &Clock, uses: &[&LastUse]) -> u64 {
        let Some(number) = Self::stamped(uses) else { return clock.count_submission() };
        clock.submitted.fetch_max(number, Ordering::AcqRel);
        number
    }
}

impl Ticket for Unknown {
    const IS_KNOWN: bool = false;

    fn begin(self, used: &LastUse, stream: u64) {
        let before = used.stream.load(Ordering::Relaxed);
        used.number.store(PENDING, Ordering::Relaxed);
        let now = if before == NEVER || before == stream { stream } else { SEVERAL };
        used.stream.store(now, Ordering::Release);
    }

    fn taken(self, clock: &Clock, _: &[&LastUse]) -> u64 {
        clock.count_submission()
    }

    fn count_doubtful(self, clock: &Clock, _: &[&LastUse]) -> u64 {
        clock.count_submission()
    }
}

impl LastUse {
    /// The stamp of unused memory of the context with this number. The upper bits of `context` may have a
    /// [home](super::home::Home).
    pub(crate) fn of(context: u64) -> Self {
        Self { stream: AtomicU64::new(NEVER), number: AtomicU64::new(0), context: AtomicU64::new(context) }
    }

    /// Whether no other stream may be using the memory. Only the owner of the memory may ask.
    #[inline(always)]
    pub(super) fn is_free_for(&self, stream: u64) -> bool {
        let last = self.stream.load(Ordering::Relaxed);
        last == NEVER || last == stream
    }

    /// Stores the number after the vendor call, if it was not known before.
    pub(crate) fn end(&self, number: u64) {
        self.number.store(number, Ordering::Release);
    }

    /// Marks the memory idle: every use so far is known to be complete. Has no effect if a use is in doubt, because the
    /// caller does not know whether that use is complete.
    #[inline]
    pub(crate) fn mark_idle(&self) {
        if !self.is_in_doubt() {
            self.stream.store(NEVER, Ordering::Release);
        }
    }

    /// None if this stamp alone shows that the memory is idle.
    #[inline(always)]
    pub(super) fn unless_marked_idle(&self) -> Obstacles {
        Obstacles::unless_equal(self.stream.load(Ordering::Acquire), NEVER)
    }

    /// Whether this stamp alone shows that the memory is idle.
    #[inline]
    pub(crate) fn is_marked_idle(&self) -> bool {
        self.stream.load(Ordering::Acquire) == NEVER
    }

    /// Makes the stamp await the submission with this number, which comes after each use so far. If a use is in doubt,
    /// the stamp awaits all streams, because that use may be on any of them.
    pub(crate) fn follow(&self, stream: u64, number: u64) {
        let stream = if self.is_in_doubt() { SEVERAL } else { stream };
        self.number.store(PENDING, Ordering::Relaxed);
        self.stream.store(stream, Ordering::Release);
        self.number.store(number, Ordering::Release);
    }

    /// Makes the stamp await all streams, because the uses so far are on several.
    pub(crate) fn follow_several(&self) {
        self.number.store(PENDING, Ordering::Relaxed);
        self.stream.store(SEVERAL, Ordering::Release);
        self.number.store(0, Ordering::Release);
    }

    /// The work that this stamp awaits; `None` if it is marked idle. Only the owner of the memory may ask. While a call
    /// is under way, the number may be *pending*.
    pub(crate) fn awaited(&self) -> Option<Awaited> {
        match self.stream.load(Ordering::Acquire) {
            NEVER => None,
            SEVERAL => Some(Awaited::Several),
            stream => Some(Awaited::Submission { stream, number: self.number.load(Ordering::Acquire) }),
        }
    }

    /// Marks the memory as in doubt: it is not known whether work that uses it was queued, and no wait could cover that
    /// work.
    pub(crate) fn mark_in_doubt(&self) {
        self.context.store(IN_DOUBT, Ordering::Release);
    }

    /// Makes each use of the memory take the slow path: from now on [`context`](Self::context) is not the number of any
    /// context.
    pub(crate) fn require_checks(&self) {
        self.context.store(CHECKED_EACH_TIME, Ordering::Release);
    }

    /// Ends the doubt: everything that this stamp awaits is known to be done. `context` is that of the memory.
    pub(crate) fn end_doubt(&self, context: u64) {
        self.stream.store(NEVER, Ordering::Release);
        self.context.store(context, Ordering::Release);
    }

    /// The number of the context to which the memory belongs, with the home above it. While the memory is in doubt,
    /// this is not the number of any context.
    #[inline]
    pub(crate) fn context(&self) -> u64 {
        self.context.load(Ordering::Acquire)
    }

    #[inline]
    pub(crate) fn is_in_doubt(&self) -> bool {
        self.context() == IN_DOUBT
    }

    /// Whether all work that this stamp awaits is complete. `has_done` says whether a stream (by its id) has done a
    /// submission, and `are_idle` whether all streams are idle.
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
