//! Blocks that came back, for the next requests of their sizes. They come and go without a lock.
//!
//! A block is an address here, which one thread puts into an empty slot and one thread takes out. The accounts of the
//! [`Arena`](super::arena::Arena) count such a block as out: no chunk with one is divided anew or removed. Code that
//! wants all blocks that came back [takes them](Recent::take_all) first.

use super::size_class::SizeClass;
use core::array::from_fn;
use core::num::NonZeroUsize;
use core::sync::atomic::{AtomicUsize, Ordering};

/// The slots of each size; 0 in the empty ones.
#[derive(Debug)]
pub(super) struct Recent([[AtomicUsize; SLOTS]; SIZES]);

/// How many blocks of one size are kept here.
const SLOTS: usize = 4;
/// The sizes up to one gigabyte.
const SIZES: usize = 80;

impl Recent {
    pub(super) fn new() -> Self {
        Self(from_fn(|_| from_fn(|_| AtomicUsize::new(0))))
    }

    /// A block of this size.
    #[inline]
    pub(super) fn take(&self, size: SizeClass) -> Option<NonZeroUsize> {
        self.0.get(size.number())?.iter().find_map(take)
    }

    /// Keeps a block of this size. Answers no if there is no room for it.
    #[inline]
    pub(super) fn put(&self, size: SizeClass, address: NonZeroUsize) -> bool {
        let keeps = |slot: &AtomicUsize| {
            slot.load(Ordering::Relaxed) == 0
                && slot.compare_exchange(0, address.get(), Ordering::Release, Ordering::Relaxed).is_ok()
        };
        self.0.get(size.number()).is_some_and(|slots| slots.iter().any(keeps))
    }

    /// Takes out all blocks, with their sizes.
    pub(super) fn take_all(&self) -> impl Iterator<Item = (SizeClass, NonZeroUsize)> {
        let of_size = |(number, slots): (usize, &'_ [AtomicUsize; SLOTS])| {
            let size = SizeClass::numbered(number);
            slots.each_ref().map(take).into_iter().flatten().map(move |address| (size, address))
        };
        self.0.iter().enumerate().flat_map(of_size)
    }
}

#[inline]
fn take(slot: &AtomicUsize) -> Option<NonZeroUsize> {
    // Most slots are empty. Looking first is cheaper than a step that other threads notice.
    NonZeroUsize::new(slot.load(Ordering::Relaxed))?;
    NonZeroUsize::new(slot.swap(0, Ordering::Acquire))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_taken_once_and_only_for_its_size() {
        let recent = Recent::new();
        let (small, large) = (SizeClass::numbered(3), SizeClass::numbered(30));
        let blocks: Vec<_> = (1..=SLOTS + 1).filter_map(NonZeroUsize::new).collect();
        let kept: Vec<_> = blocks.iter().map(|block| recent.put(small, *block)).collect();
        assert_eq!(kept, [true, true, true, true, false], "there is no room for the last one");
        assert_eq!(recent.take(large), None);
        let mut taken: Vec<_> = std::iter::from_fn(|| recent.take(small)).collect();
        taken.sort_unstable();
        assert_eq!(taken, blocks[..SLOTS]);
        assert!(!recent.put(SizeClass::numbered(SIZES), blocks[0]), "such large ones are not kept here");
    }

    #[test]
    fn all_blocks_are_taken_with_their_sizes() {
        let recent = Recent::new();
        let put: Vec<_> = (0..SIZES).map(SizeClass::numbered).zip((1..).filter_map(NonZeroUsize::new)).collect();
        assert!(put.iter().all(|(size, block)| recent.put(*size, *block)));
        assert_eq!(recent.take_all().collect::<Vec<_>>(), put);
        assert_eq!(recent.take_all().count(), 0);
    }

    #[test]
    fn threads_never_have_one_block_at_the_same_time() {
        let (recent, size) = (Recent::new(), SizeClass::numbered(0));
        let has: Vec<AtomicUsize> = (0..SLOTS).map(|_| AtomicUsize::new(0)).collect();
        assert!((1..=SLOTS).filter_map(NonZeroUsize::new).all(|block| recent.put(size, block)));
        let works = || {
            for _ in 0..50_000 {
                let Some(block) = recent.take(size) else { continue };
                let counter = &has[block.get() - 1];
                assert_eq!(counter.fetch_add(1, Ordering::Relaxed), 0, "two threads have it");
                counter.fetch_sub(1, Ordering::Relaxed);
                assert!(recent.put(size, block));
            }
        };
        std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(works))));
        assert_eq!(recent.take_all().count(), SLOTS);
    }
}
