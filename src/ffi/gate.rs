//! Keeps an object from being destroyed while a call uses it, and from being used once it is destroyed.

use super::{
    atomic::{AtomicU32, Ordering},
    yield_now,
};

/// Calls that use the object pass through; the one that destroys it closes the gate.
///
/// Passing is one atomic addition. Closing waits for calls that are inside (STREAM-07): they are short, or they wait
/// for the same work that destroying has to wait for anyway. A [`Passage`] is a local of a function of this module's
/// neighbours and reaches no code of the program: nothing can forget or keep it.
#[derive(Debug)]
pub(crate) struct Gate(AtomicU32);

const CLOSED: u32 = 1 << 31;
/// The object is a stream whose work is captured.
const CAPTURING: u32 = 1 << 30;
const FLAGS: u32 = CLOSED | CAPTURING;

/// A call is inside.
pub(crate) struct Passage<'a>(&'a Gate);

impl Gate {
    pub(crate) fn open() -> Self {
        Self(AtomicU32::new(0))
    }

    /// `None` when the object is destroyed.
    #[inline]
    pub(crate) fn pass(&self) -> Option<Passage<'_>> {
        let before = self.0.fetch_add(1, Ordering::Acquire);
        let passage = Passage(self);
        (before & CLOSED == 0).then_some(passage)
    }

    /// Like [`pass`](Self::pass); also `None` when the object is being captured.
    #[inline]
    pub(crate) fn pass_unless_captured(&self) -> Option<Passage<'_>> {
        let before = self.0.fetch_add(1, Ordering::Acquire);
        let passage = Passage(self);
        (before & FLAGS == 0).then_some(passage)
    }

    /// Whether the object is there and is not being captured, for callers who know that nobody is destroying it.
    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        self.0.load(Ordering::Relaxed) & FLAGS == 0
    }

    /// Whether the object is destroyed, or being destroyed.
    pub(crate) fn is_closed(&self) -> bool {
        self.0.load(Ordering::Relaxed) & CLOSED != 0
    }

    /// Whether the object is being captured. Calls pass all the same.
    #[inline]
    pub(crate) fn is_capturing(&self) -> bool {
        self.0.load(Ordering::Acquire) & CAPTURING != 0
    }

    /// Marks the object as being captured. `false` when it is already, or when it is destroyed.
    pub(crate) fn begin_capture(&self) -> bool {
        let before = self.0.fetch_or(CAPTURING, Ordering::AcqRel);
        if before & CLOSED != 0 {
            self.end_capture();
        }
        before & FLAGS == 0
    }

    pub(crate) fn end_capture(&self) {
        self.0.fetch_and(!CAPTURING, Ordering::AcqRel);
    }

    /// How many calls are inside.
    #[inline]
    pub(crate) fn inside(&self) -> u32 {
        self.0.load(Ordering::Acquire) & !FLAGS
    }

    /// Lets nobody in any more. Those who are inside stay.
    pub(crate) fn shut(&self) {
        self.0.fetch_or(CLOSED, Ordering::AcqRel);
    }

    /// Closes, and waits until nobody is inside. `false` when it was closed already.
    pub(crate) fn close(&self) -> bool {
        if self.0.fetch_or(CLOSED, Ordering::AcqRel) & CLOSED != 0 {
            return false;
        }
        while self.0.load(Ordering::Acquire) & !CAPTURING != CLOSED {
            yield_now();
        }
        true
    }

    /// The library refused to destroy the object: it is usable again.
    pub(crate) fn reopen(&self) {
        self.0.fetch_and(!CLOSED, Ordering::AcqRel);
    }
}

impl Passage<'_> {
    /// Ends the call. Answers how many others are inside, and sees what those did that are no longer.
    #[inline]
    pub(crate) fn leave(self) -> u32 {
        let gate = self.0;
        core::mem::forget(self);
        (gate.0.fetch_sub(1, Ordering::AcqRel) & !FLAGS) - 1
    }
}

impl Drop for Passage<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Release);
    }
}
