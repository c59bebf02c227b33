//! Where a row is on its shelf.

use crate::ffi::atomic::{AtomicU32, Ordering};

/// The slot of a row. It only helps to find the row: whether the slot has the row is seen in the slot.
#[derive(Debug)]
pub(crate) struct ShelfPlace(AtomicU32);

/// Not on a shelf.
const NOWHERE: u32 = u32::MAX;
/// A thread is looking for a slot.
const BEGUN: u32 = u32::MAX - 1;

impl Default for ShelfPlace {
    #[inline]
    fn default() -> Self {
        Self(AtomicU32::new(NOWHERE))
    }
}

impl ShelfPlace {
    #[inline(always)]
    pub(super) fn get(&self) -> Option<usize> {
        let slot = self.0.load(Ordering::Relaxed);
        (slot < BEGUN).then_some(slot as usize)
    }

    /// A shelf has fewer slots than fit into 32 bits.
    #[inline(always)]
    pub(super) fn set(&self, slot: usize) {
        self.0.store(slot as u32, Ordering::Relaxed);
    }

    /// Whether this thread is the one that puts the row on the shelf. No, if the row is there already.
    pub(super) fn begin(&self) -> bool {
        self.0.compare_exchange(NOWHERE, BEGUN, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    #[inline(always)]
    pub(super) fn clear(&self) {
        self.0.store(NOWHERE, Ordering::Relaxed);
    }
}
