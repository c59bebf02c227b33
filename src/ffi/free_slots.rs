//! Which of 64 slots are free. Threads claim them and give them back without a lock.
//!
//! A slot belongs to the thread that cleared its bit, which only one thread can do. A bit is set with `Release` and
//! cleared with `Acquire`, so what the last owner did with the slot is visible to the next one.

use super::atomic::{AtomicU64, Ordering};
use core::num::NonZeroU64;

/// How many slots there are: as many as a word has bits.
pub(super) const SLOTS: usize = 64;

/// A bit for each slot, which is set while the slot is free.
#[derive(Debug)]
pub(super) struct FreeSlots(AtomicU64);

impl FreeSlots {
    pub(super) fn all() -> Self {
        Self(AtomicU64::new(u64::MAX))
    }

    /// Claims a free slot.
    #[inline(always)]
    pub(super) fn claim(&self) -> Option<usize> {
        loop {
            match self.claim_at_once() {
                None if self.0.load(Ordering::Relaxed) != 0 => {}
                claimed => return claimed,
            }
        }
    }

    /// Claims a free slot. `None` also if another thread claims the same slot at the same time: a fast path has no loop.
    #[inline(always)]
    pub(super) fn claim_at_once(&self) -> Option<usize> {
        // Of a word that is not zero the compiler knows that the index is less than 64.
        let index = NonZeroU64::new(self.0.load(Ordering::Relaxed))?.trailing_zeros();
        let bit = 1_u64 << index;
        if self.0.fetch_and(!bit, Ordering::Acquire) & bit != 0 { Some(index as usize) } else { None }
    }

    /// Makes a slot free that this thread has claimed.
    #[inline(always)]
    pub(super) fn give_back(&self, index: usize) {
        self.0.fetch_or(1 << index, Ordering::Release);
    }

    /// The elements of `slots` whose slots are claimed.
    pub(super) fn claimed<'s, S>(&self, slots: &'s [S]) -> impl Iterator<Item = &'s S> + use<'s, S> {
        let free = self.0.load(Ordering::Relaxed);
        slots.iter().enumerate().filter(move |(index, _)| free & (1 << index) == 0).map(|(_, slot)| slot)
    }

    /// How many slots are not free.
    pub(super) fn count_claimed(&self) -> usize {
        self.0.load(Ordering::Relaxed).count_zeros() as usize
    }
}
