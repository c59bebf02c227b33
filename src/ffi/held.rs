//! Blocks of a caller's allocator that captured graphs have.
//!
//! A captured task uses its memory at each replay. The library gives this memory back as if the task had run: the free
//! function of an allocator may be called as soon as the task is recorded (ALLOC-14). So a graph has every block that
//! the library has while it is captured: those from before, which the library may use for its tasks, and those that it
//! gets. A block that comes back while a graph has it goes to the allocator when the last such graph is destroyed.

use super::allocator::Registered;
use super::allocator::{Cell, KeptBlock};
use crate::callback_guard::contained;
use crate::device_allocator::{DeviceAddress, DeviceAllocator};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// The blocks that a graph has and the library has given back. `None` when the graph is destroyed.
pub(crate) struct HeldBlocks(Mutex<Option<Vec<KeptBlock>>>);

/// The blocks of one allocator that are out.
#[derive(Default)]
pub(super) struct Blocks {
    /// Those that the library has, by the addresses of their cells.
    lent: BTreeMap<usize, Lent>,
    /// The graph whose capture is under way on the allocator's stream.
    captured: Option<Weak<HeldBlocks>>,
    /// How many the library has given back and graphs have.
    held: usize,
}

struct Lent {
    address: DeviceAddress,
    graphs: Vec<Weak<HeldBlocks>>,
}

/// A block that the library has given back. Dropping it gives the block to the allocator.
struct Returned<A: DeviceAllocator>(Mutex<Option<Box<Cell<A>>>>);

impl Default for HeldBlocks {
    fn default() -> Self {
        Self(Mutex::new(Some(Vec::new())))
    }
}

impl HeldBlocks {
    /// Takes the blocks out: the graph is destroyed, and gets no more. Dropping them runs code of the user.
    pub(super) fn end(&self) -> Vec<KeptBlock> {
        self.blocks().take().unwrap_or_default()
    }

    /// Keeps a block for the graph. The block comes back if the graph is destroyed.
    fn keep(&self, block: &KeptBlock) {
        if let Some(blocks) = &mut *self.blocks() {
            blocks.push(Arc::clone(block));
        }
    }

    fn blocks(&self) -> MutexGuard<'_, Option<Vec<KeptBlock>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Blocks {
    /// From now on the graph has all blocks that are lent, until [`end_capture`](Self::end_capture).
    pub(super) fn begin_capture(&mut self, graph: &Arc<HeldBlocks>) {
        for lent in self.lent.values_mut() {
            lent.graphs.retain(|graph| graph.strong_count() > 0);
            lent.graphs.push(Arc::downgrade(graph));
        }
        self.captured = Some(Arc::downgrade(graph));
    }

    /// The capture is over: the graph gets no more blocks.
    pub(super) fn end_capture(&mut self) {
        self.captured = None;
    }

    /// The library gets a block.
    pub(super) fn lend(&mut self, cell: usize, address: DeviceAddress) {
        self.lent.insert(cell, Lent { address, graphs: self.captured.iter().cloned().collect() });
    }

    /// The library gives a block back: the graphs that have it, or `None` for a block that was not lent. While there
    /// are any, the block counts as out.
    pub(super) fn take_back(&mut self, cell: usize) -> Option<Vec<Arc<HeldBlocks>>> {
        let lent = self.lent.remove(&cell)?;
        let graphs: Vec<_> = lent.graphs.iter().filter_map(Weak::upgrade).collect();
        self.held += usize::from(!graphs.is_empty());
        Some(graphs)
    }

    /// Whether the library has a block at this address.
    pub(super) fn has_lent(&self, address: DeviceAddress) -> bool {
        self.lent.values().any(|lent| lent.address == address)
    }

    /// How many are not with the allocator.
    pub(super) fn out(&self) -> usize {
        self.lent.len() + self.held
    }
}

/// Keeps a block that the library has given back for these graphs.
pub(super) fn hold<A: DeviceAllocator>(cell: Box<Cell<A>>, graphs: &[Arc<HeldBlocks>]) {
    let block: KeptBlock = Arc::new(Returned(Mutex::new(Some(cell))));
    graphs.iter().for_each(|graph| graph.keep(&block));
    // Graphs that were destroyed meanwhile have not kept it. Then this drop gives it to the allocator.
    contained(|| drop(block));
}

impl<A: DeviceAllocator> Drop for Returned<A> {
    fn drop(&mut self) {
        let cell = self.0.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let Some(cell) = cell else { return };
        let registered = cell.registered();
        // Taken before the block is no longer counted, so that code that takes the allocator out sees one of them.
        let allocator = registered.present();
        registered.blocks().held -= 1;
        Registered::give_to(allocator, registered, *cell);
    }
}

impl fmt::Debug for HeldBlocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let blocks = self.blocks().as_ref().map_or(0, Vec::len);
        f.debug_struct("HeldBlocks").field("given_back", &blocks).finish()
    }
}
