//! What happens on one stream, in order: submissions, waits, and failures of work.
//!
//! This is the part of a stream that does not call the library: callers pass the calls as closures. `tests/stamps/`
//! runs this file with loom, over a model of the library.

use super::atomic::{AtomicI32, AtomicU64, Ordering};
use super::cold_path::cold_path;
use super::stamp::{Clock, LastUse, Next, Obstacles, Ticket};
use super::yield_now;

/// The submissions of one stream, and which of them may have failed. Values that are zero at first come last, so that few
/// instructions clear them.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Timeline {
    /// Identifies the stream in stamps. Never used twice in this process, never zero.
    id: u64,
    clock: Clock,
    failures: Failures,
}

/// The submissions that failed waits covered. The library reports a failure of work to one wait only. All other waiters
/// for that work look here.
///
/// The range only grows. So it may include work between two failures that is known to be done.
#[derive(Debug)]
#[repr(C)]
struct Failures {
    /// The first submission that may have failed.
    from: AtomicU64,
    /// The last submission that may have failed; 0 if there is none. Written last and read first.
    to: AtomicU64,
    /// For each kind of waiter, the submission up to which it was informed of failures.
    taken: [AtomicU64; 2],
    code: AtomicI32,
}

/// The two kinds of waiters for all work of a stream. Each is informed of a failure once.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Waiter {
    Stream = 0,
    Context = 1,
}

/// The submissions that a wait starting now covers: those after `done`, up to `mark`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Covers {
    done: u64,
    mark: u64,
}

/// The only way to queue work: stamps what the work uses, makes the call, and counts the submission. Returns the
/// submission's number.
///
/// `$uses` is an array or a slice. It is evaluated at each use, so that nothing holds it during the call. `$ticket` is
/// the [`next_for`](Timeline::next_for) these uses if the caller has the stream's handle and the call runs no code of
/// the program; otherwise it is [`Unknown`](super::stamp::Unknown). `$call` is an expression, so that no code runs
/// between the stamps and the call of the library. It gives `Ok(())`, or the answer of a failed call. After a failed
/// call, `$settle` gets the answer and the number. It returns the error, and whether it is certain that nothing of the
/// call is still queued. If that is not certain, everything that the call was to use is in doubt for good.
macro_rules! submitted {
    ($timeline:expr, $ticket:expr, $uses:expr, $call:expr, $settle:expr $(,)?) => {{
        let ticket = $ticket;
        match $crate::ffi::timeline::taken_or_answer!($timeline, ticket, $uses, $call) {
            Ok(number) => Ok(number),
            // The closure evaluates `$uses` again, so the addresses of the stamps are not kept for it during the call.
            Err(answer) => Err($crate::ffi::cold_path::cold_path(move || {
                $crate::ffi::timeline::not_taken($timeline, ticket, $uses, answer, $settle)
            })),
        }
    }};
}
pub(crate) use submitted;

/// The first half of [`submitted!`]: the submission's number, or the answer of a failed call. The caller settles a failed
/// call by [`not_taken`] at once: no code of the program runs before.
///
/// A number that was known before is read from the stamp of the first of `$numbered` after the call, or made from the count
/// again if there is none. A caller with further addresses to keep during the call has none.
macro_rules! taken_or_answer {
    ($timeline:expr, $ticket:expr, $uses:expr, $call:expr) => {
        $crate::ffi::timeline::taken_or_answer!($timeline, $ticket, $uses, $uses, $call)
    };
    ($timeline:expr, $ticket:expr, $uses:expr, $numbered:expr, $call:expr) => {{
        let id = $timeline.id();
        for used in $uses {
            $crate::ffi::stamp::Ticket::begin($ticket, used, id);
        }
        match $call {
            Ok(()) => Ok($crate::ffi::timeline::taken($timeline, $ticket, $numbered)),
            Err(answer) => Err(answer),
        }
    }};
}
pub(crate) use taken_or_answer;

/// Records that the library has taken the submission.
#[inline(always)]
pub(crate) fn taken<'u>(timeline: &Timeline, ticket: impl Ticket, uses: impl AsRef<[&'u LastUse]>) -> u64 {
    let number = ticket.taken(timeline.clock(), uses.as_ref());
    stamp_after(ticket, uses.as_ref(), number);
    number
}

/// Records that the call failed.
pub(crate) fn not_taken<'u, A, E>(
    timeline: &Timeline,
    ticket: impl Ticket,
    uses: impl AsRef<[&'u LastUse]>,
    answer: A,
    settle: impl FnOnce(A, u64) -> (E, bool),
) -> E {
    let number = ticket.count_doubtful(timeline.clock(), uses.as_ref());
    stamp_after(ticket, uses.as_ref(), number);
    let (error, is_over) = settle(answer, number);
    if !is_over {
        uses.as_ref().iter().for_each(|used| used.mark_in_doubt());
    }
    error
}

#[inline(always)]
fn stamp_after<T: Ticket>(_: T, uses: &[&LastUse], number: u64) {
    if !T::IS_KNOWN {
        uses.iter().for_each(|used| used.end(number));
    }
}

impl Timeline {
    pub(crate) fn new(id: u64) -> Self {
        Self { id, clock: Clock::new(), failures: Failures::none() }
    }

    #[inline]
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    #[inline]
    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The number of the next submission, which is to use this memory. `None` if another stream may be using some of
    /// it. Only the holder of the stream's handle may ask.
    ///
    /// `None` also if the caller has obstacles of its own. They come in here because one jump decides about all together:
    /// with a jump for each, the compiler takes the slow path for likely.
    #[inline(always)]
    pub(crate) fn next_for<const N: usize>(&self, obstacles: Obstacles, uses: [&LastUse; N]) -> Option<Next> {
        if N == 0 {
            return obstacles.is_none().then_some(Next::OF_STAMPED);
        }
        // Usually all memory is unused, or was waited for.
        let until_idle = uses.iter().fold(obstacles, |all, used| all.and(used.unless_marked_idle()));
        let is_free = || obstacles.is_none() && uses.iter().all(|used| used.is_free_for(self.id));
        (until_idle.is_none() || is_free()).then(|| self.clock.next())
    }

    /// Calls `wait`. If it succeeds, everything that was submitted before is done. If it fails with a code that
    /// `failed` recognises as a failure of work, everything that was submitted before may have failed.
    ///
    /// The library may have reported a failure to another wait that covers the same work. That wait notes the failure
    /// before it ends. So this one lets all waits that are `under_way` end first; `end` says whether there are any.
    ///
    /// `failed_call` is the submission whose failure made this wait necessary. Its caller already knows that it failed.
    #[inline(always)]
    pub(crate) fn wait<E, U: FnMut() -> bool>(
        &self,
        failed_call: Option<u64>,
        wait: impl FnOnce() -> Result<(), E>,
        failed: impl FnOnce(&E) -> Option<i32>,
        end: impl FnOnce() -> bool,
        under_way: impl FnOnce() -> U,
    ) -> Result<(), E> {
        let covers = self.covers();
        let result = wait();
        match result {
            Ok(()) => {
                if end() {
                    let_end(under_way());
                }
                self.succeeded(covers);
                Ok(())
            }
            Err(error) => cold_path(move || {
                if let Some(code) = failed(&error) {
                    self.failed(covers, failed_call, code);
                }
                end();
                Err(error)
            }),
        }
    }

    /// The submissions that a wait covers. Call this before the wait starts.
    #[inline]
    pub(crate) fn covers(&self) -> Covers {
        Covers { done: self.clock.done(), mark: self.clock.last_submitted() }
    }

    /// Records that a wait for these submissions succeeded.
    #[inline]
    pub(crate) fn succeeded(&self, covers: Covers) {
        self.clock.complete_up_to(covers.done, covers.mark);
    }

    /// Like [`succeeded`](Self::succeeded), for a wait that covers several streams. It first lets the waits for this
    /// one stream end that are `under_way`: the library may have reported a failure to one of them.
    pub(crate) fn succeeded_among(&self, covers: Covers, under_way: impl FnMut() -> bool) {
        let_end(under_way);
        self.succeeded(covers);
    }

    /// Records that the library reported a failure of work to a wait for these submissions.
    #[cold]
    pub(crate) fn failed(&self, covers: Covers, failed_call: Option<u64>, code: i32) {
        let last = if failed_call == Some(covers.mark) { covers.mark - 1 } else { covers.mark };
        if covers.done < last {
            self.failures.note(covers.done + 1, last, code);
        }
    }

    /// The last submission that may have failed; 0 if there is none.
    #[inline]
    pub(crate) fn failed_up_to(&self) -> u64 {
        self.failures.to.load(Ordering::Acquire)
    }

    /// The code of a failure that may concern a submission from `since` to `number`.
    #[inline]
    pub(crate) fn failure_among(&self, since: u64, number: u64) -> Option<i32> {
        if since > self.failed_up_to() { None } else { self.failures.among(since, number) }
    }

    /// The code of a failure of which this kind of waiter has not been informed.
    #[inline]
    pub(crate) fn take_failure(&self, waiter: Waiter) -> Option<i32> {
        if self.failed_up_to() == 0 { None } else { self.failures.take(waiter) }
    }
}

/// Lets waits end that are `under_way`.
#[cold]
fn let_end(mut under_way: impl FnMut() -> bool) {
    while under_way() {
        yield_now();
    }
}

impl Failures {
    fn none() -> Self {
        let taken = [AtomicU64::new(0), AtomicU64::new(0)];
        Self { from: AtomicU64::new(u64::MAX), to: AtomicU64::new(0), code: AtomicI32::new(0), taken }
    }

    fn note(&self, from: u64, to: u64, code: i32) {
        self.code.store(code, Ordering::Relaxed);
        self.from.fetch_min(from, Ordering::AcqRel);
        self.to.fetch_max(to, Ordering::AcqRel);
    }

    #[cold]
    fn among(&self, since: u64, number: u64) -> Option<i32> {
        let concerns = since <= number && number >= self.from.load(Ordering::Acquire);
        concerns.then(|| self.code.load(Ordering::Relaxed))
    }

    #[cold]
    fn take(&self, waiter: Waiter) -> Option<i32> {
        let to = self.to.load(Ordering::Acquire);
        let [stream, context] = &self.taken;
        let taken = match waiter {
            Waiter::Stream => stream,
            Waiter::Context => context,
        };
        (taken.fetch_max(to, Ordering::AcqRel) < to).then(|| self.code.load(Ordering::Relaxed))
    }
}
