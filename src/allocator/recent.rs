//! Recently returned blocks, for the next requests of their sizes. They are put here and taken without a lock.
//!
//! A block is represented by its address, which one thread puts into an empty slot and one thread takes out. The
//! [`Arena`](super::arena::Arena) still counts such a block as out, so it neither divides the block's chunk anew nor
//! removes it. Code that needs all returned blocks in the arena [takes these out](Recent::take_all) first.
//!
//! `tests/stamps/` runs this file with loom.

use super::atomic::{AtomicUsize, Ordering};
use super::size_class::SizeClass;
use core::array::from_fn;
use core::num::NonZeroUsize;

/// The slots of each size; 0 in the empty ones.
#[derive(Debug)]
pub(crate) struct Recent(Box<[[AtomicUsize; SLOTS]]>);

/// How many blocks of one size are kept here.
pub(crate) const SLOTS: usize = 4;
/// The sizes up to one gigabyte.
pub(crate) const SIZES: usize = 80;

impl Recent {
    pub(crate) fn new() -> Self {
        Self((0..SIZES).map(|_| from_fn(|_| AtomicUsize::new(0))).collect())
    }

    /// A block of this size.
    #[inline]
    pub(crate) fn take(&self, size: SizeClass) -> Option<NonZeroUsize> {
        self.0.get(size.number())?.iter().find_map(take)
    }

    /// Keeps a block of this size. Returns `false` if there is no room for it.
    #[inline]
    pub(crate) fn put(&self, size: SizeClass, address: NonZeroUsize) -> bool {
        let keeps = |slot: &AtomicUsize| {
            slot.load(Ordering::Relaxed) == 0
                && slot.compare_exchange(0, address.get(), Ordering::Release, Ordering::Relaxed).is_ok()
        };
        self.0.get(size.number()).is_some_and(|slots| slots.iter().any(keeps))
    }

    /// Takes out all blocks, with their sizes.
    pub(crate) fn take_all(&self) -> impl Iterator<Item = (SizeClass, NonZeroUsize)> {
        let of_size = |(number, slots): (usize, &'_ [AtomicUsize; SLOTS])| {
            let size = SizeClass::numbered(number);
            slots.each_ref().map(take).into_iter().flatten().map(move |address| (size, address))
        };
        self.0.iter().enumerate().flat_map(of_size)
    }
}

#[inline]
fn take(slot: &AtomicUsize) -> Option<NonZeroUsize> {
    // Most slots are empty. A load first is cheaper than a swap, which takes the cache line from other threads.
    NonZeroUsize::new(slot.load(Ordering::Relaxed))?;
    NonZeroUsize::new(slot.swap(0, Ordering::Acquire))
}
