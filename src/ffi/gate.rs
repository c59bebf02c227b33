//! Keeps an object from being destroyed while a call uses it, and from being used after it was destroyed.

use super::{
    atomic::{AtomicU32, Ordering},
    stamp::Obstacles,
    yield_now,
};

/// A gate for calls: calls that use the object pass through it, and the call that destroys the object closes it.
///
/// Passing is one atomic addition. Closing waits for the calls that are inside (STREAM-07). A [`Passage`] is a local of
/// functions of `ffi` and never reaches code of the program, so nothing can forget or keep it. Where a thread may pass that
/// is in no context, the passage ends before the answer becomes an error: a subscriber of `tracing` hears of errors, and
/// may end a runtime.
///
/// [`REFUSES`] is set while one of the two other flags is: each operation that changes one of them changes it, too.
///
/// Two kinds of objects are used by threads that are in another context, whose calls nothing ends before the destruction:
///
/// * An event: a stream of another context waits for it. That call blocks while the queue of the stream is full, so the
///   destruction of an event waits with a limit (`RawEvent::destroy`).
/// * A runtime, which is a gate of its own (`src/runtime/shared.rs`). It only [shuts](Self::shut) the gate.
///
/// The calls on all other objects are short, or they are made in the object's context. No thread is inside a context that
/// is taken down. If an object is destroyed earlier, nobody else has its handle: then the calls inside are short, or they
/// wait for work for which the destruction has waited already.
#[derive(Debug)]
pub(crate) struct Gate(AtomicU32);

/// The object is destroyed, or being destroyed.
const CLOSED: u32 = 1 << 30;
/// The object is a stream that is being captured.
const CAPTURING: u32 = 1 << 29;
/// One of the two other flags is set. With the highest bit, the addition itself says whether a call is let in: its result is
/// negative, so no further instruction looks at the flags.
const REFUSES: u32 = 1 << 31;
const FLAGS: u32 = CLOSED | CAPTURING | REFUSES;

/// Proof that a call is inside the gate.
pub(crate) struct Passage<'a>(&'a Gate);

/// A [`Passage`] for a caller that has the address of the gate anyway, and whose call does not unwind. A wait is the hottest
/// such call: with the passage it would keep the address twice, for the end of the call and for an unwinding.
#[must_use]
pub(crate) struct Inside(());

impl Gate {
    pub(crate) fn open() -> Self {
        Self(AtomicU32::new(0))
    }

    /// Lets a call in. `None` if the object is destroyed.
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
        // `REFUSES` is the sign.
        if before.cast_signed() >= 0 {
            return Some(Passage(self));
        }
        self.turn_away();
        None
    }

    /// Ends a call that was counted and not let in.
    #[cold]
    #[inline(never)]
    fn turn_away(&self) {
        drop(Passage(self));
    }

    /// Whether the object exists and is not being captured. The caller knows that no other thread is destroying it.
    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        self.0.load(Ordering::Relaxed) & FLAGS == 0
    }

    /// None if the gate [is open](Self::is_open) and no call is inside. Calls inside are no reason to refuse, but the fast path
    /// that asks this need not tell them from flags.
    #[inline(always)]
    pub(crate) fn unless_open_and_empty(&self) -> Obstacles {
        Obstacles::unless_equal(u64::from(self.0.load(Ordering::Relaxed)), 0)
    }

    /// Whether the object is destroyed, or being destroyed.
    pub(crate) fn is_closed(&self) -> bool {
        self.0.load(Ordering::Relaxed) & CLOSED != 0
    }

    /// Whether the object is being captured. A capture does not stop calls from passing.
    #[inline]
    pub(crate) fn is_capturing(&self) -> bool {
        self.0.load(Ordering::Acquire) & CAPTURING != 0
    }

    /// Marks the object as being captured. Returns `false` if it already is, or if it is destroyed.
    pub(crate) fn begin_capture(&self) -> bool {
        let before = self.0.fetch_or(REFUSES | CAPTURING, Ordering::AcqRel);
        if before & CLOSED != 0 {
            self.end_capture();
        }
        before & FLAGS == 0
    }

    pub(crate) fn end_capture(&self) {
        self.clear(CAPTURING);
    }

    /// Clears this flag, and [`REFUSES`] with the last one.
    fn clear(&self, flag: u32) {
        let cleared = |word: u32| match word & (CLOSED | CAPTURING) == flag {
            true => word & !(flag | REFUSES),
            false => word & !flag,
        };
        // A guess: this is the last flag, and no call is inside.
        let mut word = flag | REFUSES;
        while let Err(found) = self.0.compare_exchange(word, cleared(word), Ordering::AcqRel, Ordering::Relaxed) {
            word = found;
        }
    }

    /// Ends a call that is inside of this gate. Returns whether other calls may be inside: `false` only if none is. It is `true`
    /// also while the object is captured or destroyed, because one comparison answers for all. Writes of calls that have
    /// left are visible afterwards.
    #[inline(always)]
    pub(crate) fn leave(&self, _: Inside) -> bool {
        self.0.fetch_sub(1, Ordering::AcqRel) != 1
    }

    /// How many calls are inside.
    #[inline]
    pub(crate) fn inside(&self) -> u32 {
        self.0.load(Ordering::Acquire) & !FLAGS
    }

    /// Lets no further call in. Calls that are inside stay. Returns `false` if the gate was closed already.
    pub(crate) fn shut(&self) -> bool {
        self.0.fetch_or(REFUSES | CLOSED, Ordering::AcqRel) & CLOSED == 0
    }

    /// Waits until no call is inside, for as long as `goes_on` says so. Returns whether no call is inside. The gate is
    /// [shut](Self::shut).
    pub(crate) fn becomes_empty(&self, mut goes_on: impl FnMut() -> bool) -> bool {
        while self.inside() != 0 {
            if !goes_on() {
                return false;
            }
            yield_now();
        }
        true
    }

    /// Closes the gate if it is open and no call is inside.
    #[inline(always)]
    pub(crate) fn close_at_once(&self) -> bool {
        self.0.compare_exchange(0, REFUSES | CLOSED, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Closes the gate and waits until no call is inside. Returns `false` if the gate was closed already.
    pub(crate) fn close(&self) -> bool {
        self.shut() && self.becomes_empty(|| true)
    }

    /// Opens the gate again, because the object was not destroyed.
    pub(crate) fn reopen(&self) {
        self.clear(CLOSED);
    }
}

impl Passage<'_> {
    /// The same call, without the address of the gate.
    #[inline(always)]
    pub(crate) fn without_address(self) -> Inside {
        core::mem::forget(self);
        Inside(())
    }
}

impl Drop for Passage<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Release);
    }
}
