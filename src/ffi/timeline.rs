//! What happens on one stream, in its order: submissions, waits, and failures of work.
//!
//! This is the part of a stream that does not know the library: the calls come in as closures. `tests/stamps/` runs
//! this file with loom, over a model of the library.

use super::atomic::{AtomicI32, AtomicU64, Ordering};
use super::stamp::{Clock, LastUse, Ticket};
use super::yield_now;

/// The submissions of one stream, and which of them may have failed.
#[derive(Debug)]
pub(crate) struct Timeline {
    /// Names the stream in stamps; never used twice in a context, never zero.
    id: u64,
    clock: Clock,
    failures: Failures,
}

/// Which submissions a wait that failed was for. The library tells a failure of work to one wait only; everybody else
/// who waits for that work looks here.
///
/// The range only grows, so work between two failures that is known to be done may be counted among them.
#[derive(Debug)]
struct Failures {
    /// The first submission that may have failed.
    from: AtomicU64,
    /// The last one; 0 when none has. Written last and read first.
    to: AtomicU64,
    code: AtomicI32,
    /// Up to where the waiters of each kind have been told.
    told: [AtomicU64; 2],
}

/// Who waits for all of a stream, and is told of its failures once.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Listener {
    Stream = 0,
    Context = 1,
}

/// What a wait that starts now covers: the submissions after the first of the numbers, up to the second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Covers {
    done: u64,
    mark: u64,
}

/// The one way to queue work: stamps what it uses, calls, and counts the submission. Gives its number.
///
/// `$uses` is an array or a slice, and evaluated where it is needed, so that nothing keeps it during the call.
/// `$ticket` is the [`Next`](super::stamp::Next) of the clock for who has the stream's handle, when the call runs no
/// code of the program; [`Unknown`](super::stamp::Unknown) otherwise. `$call` is an expression, so that nothing stands
/// between the stamps and the call of the library; it gives `Ok(())`, or an answer that is none. When the call failed,
/// `$settle` makes an error of the answer, and says whether it is certain that nothing of the call is queued any more;
/// it gets the number. If it is not certain, what the call was to use is in doubt for good.
macro_rules! submitted {
    ($timeline:expr, $ticket:expr, $uses:expr, $call:expr, $settle:expr $(,)?) => {{
        let ticket = $ticket;
        for used in $uses {
            used.begin($timeline.id(), $timeline.clock(), ticket);
        }
        match $call {
            Ok(()) => Ok($crate::ffi::timeline::taken($timeline, ticket, $uses)),
            Err(answer) => Err($crate::ffi::timeline::not_taken($timeline, ticket, $uses, answer, $settle)),
        }
    }};
}
pub(crate) use submitted;

/// The library has taken the submission.
#[inline(always)]
pub(crate) fn taken<'u>(timeline: &Timeline, ticket: impl Ticket, uses: impl AsRef<[&'u LastUse]>) -> u64 {
    let number = ticket.taken(timeline.clock());
    stamp_after(ticket, uses.as_ref(), number);
    number
}

/// The call failed.
#[cold]
#[inline(never)]
pub(crate) fn not_taken<'u, A, E>(
    timeline: &Timeline,
    ticket: impl Ticket,
    uses: impl AsRef<[&'u LastUse]>,
    answer: A,
    settle: impl FnOnce(A, u64) -> (E, bool),
) -> E {
    let number = ticket.may_be_taken(timeline.clock());
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

    /// Waits by `wait`. Everything that was submitted before is done when it succeeds, and may have failed when it
    /// fails with a code that `failed` takes for one of work.
    ///
    /// Another wait may have been told of a failure that this one was for. It notes that before it ends, so this one
    /// lets those end that are `under_way`; `end` says whether there are any.
    ///
    /// `failed_call`: the submission that made this wait necessary by failing. Who made it knows that it failed.
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
            Err(error) => {
                if let Some(code) = failed(&error) {
                    self.failed(covers, failed_call, code);
                }
                end();
                Err(error)
            }
        }
    }

    /// To be asked before a wait starts.
    #[inline]
    pub(crate) fn covers(&self) -> Covers {
        Covers { done: self.clock.done(), mark: self.clock.mark() }
    }

    /// A wait that covers these has returned.
    #[inline]
    pub(crate) fn succeeded(&self, covers: Covers) {
        self.clock.complete_up_to(covers.done, covers.mark);
    }

    /// A wait that covers these was told that work failed.
    #[cold]
    pub(crate) fn failed(&self, covers: Covers, failed_call: Option<u64>, code: i32) {
        let last = if failed_call == Some(covers.mark) { covers.mark - 1 } else { covers.mark };
        if covers.done < last {
            self.failures.note(covers.done + 1, last, code);
        }
    }

    /// The last submission that may have failed; 0 when none has.
    #[inline]
    pub(crate) fn failed_up_to(&self) -> u64 {
        self.failures.to.load(Ordering::Acquire)
    }

    /// The code of a failure that may be of a submission from `since` to `number`.
    #[inline]
    pub(crate) fn failure_among(&self, since: u64, number: u64) -> Option<i32> {
        if since > self.failed_up_to() { None } else { self.failures.among(since, number) }
    }

    /// The code of a failure of which this kind of waiter has not been told.
    #[inline]
    pub(crate) fn untold(&self, listener: Listener) -> Option<i32> {
        if self.failed_up_to() == 0 { None } else { self.failures.tell(listener) }
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
        let told = [AtomicU64::new(0), AtomicU64::new(0)];
        Self { from: AtomicU64::new(u64::MAX), to: AtomicU64::new(0), code: AtomicI32::new(0), told }
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
    fn tell(&self, listener: Listener) -> Option<i32> {
        let to = self.to.load(Ordering::Acquire);
        let [stream, context] = &self.told;
        let told = match listener {
            Listener::Stream => stream,
            Listener::Context => context,
        };
        (told.fetch_max(to, Ordering::AcqRel) < to).then(|| self.code.load(Ordering::Relaxed))
    }
}
