//! Where a row is on its shelf, and the number that identifies it.

use super::next_number;
use crate::ffi::atomic::{AtomicU32, Ordering};

/// The number of a row, and its slot. The slot only helps to find the row: a search checks that the slot has the row.
#[derive(Debug)]
pub(crate) struct ShelfPlace {
    number: u64,
    slot: AtomicU32,
}

/// Not on a shelf.
const NOWHERE: u32 = u32::MAX;
/// A thread is looking for a slot.
const BEGUN: u32 = u32::MAX - 1;

impl ShelfPlace {
    /// For a row that is not on a shelf yet.
    #[inline]
    pub(crate) fn new() -> Self {
        Self::of(next_number())
    }

    /// For a row with this number, which is not on a shelf yet.
    #[inline]
    pub(crate) fn of(number: u64) -> Self {
        Self { number, slot: AtomicU32::new(NOWHERE) }
    }

    /// For something that is never on a shelf.
    #[inline]
    pub(crate) fn none() -> Self {
        Self::of(0)
    }

    /// For a row that is put into this slot.
    #[inline(always)]
    pub(super) fn in_slot(number: u64, slot: usize) -> Self {
        Self { number, slot: AtomicU32::new(slot as u32) }
    }

    #[inline(always)]
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    #[inline(always)]
    pub(super) fn slot(&self) -> Option<usize> {
        let slot = self.slot.load(Ordering::Relaxed);
        (slot < BEGUN).then_some(slot as usize)
    }

    /// The row's slot, if it is one of the first slots of its shelf.
    #[inline(always)]
    pub(super) fn slot_below(&self, end: usize) -> Option<usize> {
        let slot = self.slot.load(Ordering::Relaxed) as usize;
        (slot < end).then_some(slot)
    }

    /// A shelf has fewer slots than fit into 32 bits.
    #[inline(always)]
    pub(super) fn set(&self, slot: usize) {
        self.slot.store(slot as u32, Ordering::Relaxed);
    }

    /// Returns `true` to the one thread that is to put the row on the shelf, and `false` if the row is there already.
    pub(super) fn begin(&self) -> bool {
        self.slot.compare_exchange(NOWHERE, BEGUN, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    #[inline(always)]
    pub(super) fn clear(&self) {
        self.slot.store(NOWHERE, Ordering::Relaxed);
    }
}
