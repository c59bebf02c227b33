//! In which context a stream or an event is used without a further look.

use super::atomic::{AtomicU64, Ordering};
use super::gate::Gate;

/// The number of the context of a stream or an event, and flags for why its use needs a further look. So who queues work
/// compares one word with the context that this thread has entered.
///
/// Only the flags change while the object lives, each by itself: other threads may set others at the same time. Two of
/// them repeat what the object's gate says, and change with it: [`begin_capture`](Self::begin_capture),
/// [`close`](Self::close) and their opposites are the only ways to change the gate. The gate brings the order: who
/// begins a capture sees the end of the last one there, and so comes after its change of this word.
#[derive(Debug)]
pub(crate) struct Admission(AtomicU64);

/// Why work needs a further look. No context has a number with these bits.
#[derive(Clone, Copy, Debug)]
#[repr(u64)]
pub(crate) enum Because {
    /// The object is destroyed, or being destroyed.
    Gone = 1 << 63,
    /// The stream is being captured.
    Captured = 1 << 62,
    /// It is unknown which allocator the library calls for the stream's work.
    AllocatorInDoubt = 1 << 61,
    /// Several threads may queue work at once.
    OfSeveralThreads = 1 << 60,
}

impl Admission {
    /// Work is queued without a further look in the context with this number.
    pub(crate) fn of(context: u64) -> Self {
        Self(AtomicU64::new(context))
    }

    /// Whether work is queued without a further look in the context with this number.
    #[inline(always)]
    pub(crate) fn is_for(&self, context: u64) -> bool {
        self.0.load(Ordering::Relaxed) == context
    }

    pub(crate) fn has(&self, reason: Because) -> bool {
        self.0.load(Ordering::Relaxed) & reason as u64 != 0
    }

    /// From now on work needs a further look, if `yes`; else no longer for this reason.
    #[inline]
    pub(crate) fn set(&self, reason: Because, yes: bool) {
        match yes {
            true => self.0.fetch_or(reason as u64, Ordering::Relaxed),
            false => self.0.fetch_and(!(reason as u64), Ordering::Relaxed),
        };
    }

    /// Marks the stream as being captured. Returns `false` if it already is, or if it is destroyed.
    pub(crate) fn begin_capture(&self, gate: &Gate) -> bool {
        let begun = gate.begin_capture();
        if begun {
            self.set(Because::Captured, true);
        }
        begun
    }

    /// Ends what [`begin_capture`](Self::begin_capture) began. The gate comes last: once it says so, the next capture may
    /// begin, and mark the stream again.
    pub(crate) fn end_capture(&self, gate: &Gate) {
        self.set(Because::Captured, false);
        gate.end_capture();
    }

    /// Closes the gate. Returns `false` if it was closed already.
    pub(crate) fn close(&self, gate: &Gate) -> bool {
        let closed = gate.close();
        if closed {
            self.set(Because::Gone, true);
        }
        closed
    }

    /// Closes the gate if it is open and no call is inside.
    #[inline(always)]
    pub(crate) fn close_at_once(&self, gate: &Gate) -> bool {
        let closed = gate.close_at_once();
        if closed {
            self.set(Because::Gone, true);
        }
        closed
    }

    /// The library has refused to destroy the stream: it takes work as before.
    pub(crate) fn reopen(&self, gate: &Gate) {
        self.set(Because::Gone, false);
        gate.reopen();
    }
}
