//! The word by which a fast path decides whether it can use a stream or an event without further checks.

use super::atomic::{AtomicU64, Ordering};
use super::gate::Gate;

/// The number of the context of a stream or an event, and a flag for each reason why its use needs further checks. If
/// the word equals the number of the context that this thread has entered, no further check is needed.
///
/// Only the flags change while the object lives. Each change is one atomic operation on one flag, because other threads
/// may change other flags at the same time. [`Destroyed`](CheckReason::Destroyed) and
/// [`Capturing`](CheckReason::Capturing) repeat the state of the object's gate, and change with it:
/// [`begin_capture`](Self::begin_capture), [`shut`](Self::shut) and their opposites are the only ways to change the
/// gate. The gate also orders the changes: a thread that begins a capture has seen in the gate that the last capture
/// ended, so it changes this word after the thread that ended that capture.
#[derive(Debug)]
pub(crate) struct Admission(AtomicU64);

/// Why the use of an object needs further checks. No context's number has these bits.
#[derive(Clone, Copy, Debug)]
#[repr(u64)]
pub(crate) enum CheckReason {
    /// The object is destroyed, or being destroyed.
    Destroyed = 1 << 63,
    /// The stream is being captured.
    Capturing = 1 << 62,
    /// It is unknown which allocator the library calls for the stream's work.
    AllocatorInDoubt = 1 << 61,
    /// Several threads may queue work at once.
    ManyThreads = 1 << 60,
}

impl Admission {
    /// An object of the context with this number, without flags.
    pub(crate) fn of(context: u64) -> Self {
        Self(AtomicU64::new(context))
    }

    /// Whether the object belongs to the context with this number, and no flag is set.
    #[inline(always)]
    pub(crate) fn is_for(&self, context: u64) -> bool {
        self.word() == context
    }

    /// The number of the object's context, with the flags that are set.
    #[inline(always)]
    pub(crate) fn word(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn has(&self, reason: CheckReason) -> bool {
        self.0.load(Ordering::Relaxed) & reason as u64 != 0
    }

    /// Sets or clears the flag for this reason.
    #[inline]
    pub(crate) fn set(&self, reason: CheckReason, yes: bool) {
        match yes {
            true => self.0.fetch_or(reason as u64, Ordering::Relaxed),
            false => self.0.fetch_and(!(reason as u64), Ordering::Relaxed),
        };
    }

    /// Marks the stream as being captured. Returns `false` if it already is, or if it is destroyed.
    pub(crate) fn begin_capture(&self, gate: &Gate) -> bool {
        let begun = gate.begin_capture();
        if begun {
            self.set(CheckReason::Capturing, true);
        }
        begun
    }

    /// Ends what [`begin_capture`](Self::begin_capture) began. The gate changes last: from then on the next capture may
    /// begin, which sets the flag again.
    pub(crate) fn end_capture(&self, gate: &Gate) {
        self.set(CheckReason::Capturing, false);
        gate.end_capture();
    }

    /// Lets no further call in. Returns `false` if the gate was closed already.
    pub(crate) fn shut(&self, gate: &Gate) -> bool {
        let shut = gate.shut();
        if shut {
            self.set(CheckReason::Destroyed, true);
        }
        shut
    }

    /// Closes the gate, and waits until no call is inside. Returns `false` if it was closed already.
    pub(crate) fn close(&self, gate: &Gate) -> bool {
        self.shut(gate) && gate.becomes_empty(|| true)
    }

    /// Closes the gate if it is open and no call is inside.
    #[inline(always)]
    pub(crate) fn close_at_once(&self, gate: &Gate) -> bool {
        let closed = gate.close_at_once();
        if closed {
            self.set(CheckReason::Destroyed, true);
        }
        closed
    }

    /// Undoes [`shut`](Self::shut) and [`close`](Self::close), because the object was not destroyed.
    pub(crate) fn reopen(&self, gate: &Gate) {
        self.set(CheckReason::Destroyed, false);
        gate.reopen();
    }
}
