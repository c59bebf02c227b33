//! The blocks of the callers' allocators that the library has.

use crate::locks::lock;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// By their addresses, with their sizes; no two of them overlap.
static BLOCKS: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());

/// Enters a block, or answers address and size of the one that it overlaps.
pub(in crate::machine) fn enter(start: usize, size: usize) -> Result<(), (usize, usize)> {
    let mut blocks = lock(&BLOCKS);
    let before = blocks.range(..start.saturating_add(size)).next_back().map(|(start, size)| (*start, *size));
    if let Some((other, room)) = before.filter(|(other, room)| other + room > start) {
        return Err((other, room));
    }
    blocks.insert(start, size);
    Ok(())
}

/// The block is on its way back: from now on the allocator may hand it out again.
pub(in crate::machine) fn leave(start: usize) {
    lock(&BLOCKS).remove(&start);
}

pub(in crate::machine) fn clear() {
    lock(&BLOCKS).clear();
}
