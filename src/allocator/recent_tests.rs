//! Blocks that came back, on one thread. `tests/stamps/lent.rs` has several threads.

use super::recent::{Recent, SIZES, SLOTS};
use super::size_class::SizeClass;
use core::num::NonZeroUsize;

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
