//! Blocks of a caller's allocator that captured graphs have.
//!
//! A captured task uses its memory at each replay. The library gives this memory back as if the task had run: the free
//! function of an allocator may be called as soon as the task is recorded (ALLOC-14). So a graph has every block that
//! the library has while it is captured: those from before, which the library may use for its tasks, and those that it
//! gets. A block that comes back while a graph has it goes to the allocator when the last such graph is destroyed.

use super::allocator::{KeptBlock, Registered, let_go};
use super::places::Places;
use crate::callback_guard::contained;
use crate::device_allocator::{DeviceAddress, DeviceAllocator};
use core::ffi::c_void;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// The blocks that a graph has and the library has given back. `None` when the graph is destroyed.
pub(crate) struct HeldBlocks(Mutex<Option<Vec<KeptBlock>>>);

/// The blocks of one allocator that are out.
pub(super) struct Blocks<A: DeviceAllocator> {
    /// Those that the library has.
    lent: Places<Lent<A>>,
    /// The graphs that have blocks of these, by the pointers of the blocks.
    graphs: BTreeMap<usize, Vec<Weak<HeldBlocks>>>,
    /// The graph whose capture is under way on the allocator's stream.
    captured: Option<Weak<HeldBlocks>>,
    /// How many the library has given back and graphs have.
    held: usize,
}

/// A block that the library has or has given back.
pub(super) struct Lent<A: DeviceAllocator> {
    pub(super) block: A::Block,
    /// Keeps the allocator in place, even if the library keeps a block beyond the registration, or forever.
    pub(super) keeps: Arc<Registered<A>>,
}

/// Who gets a block that the library gives back.
pub(super) enum ComesBack<A: DeviceAllocator> {
    ToTheAllocator(Lent<A>),
    /// These graphs have it. Until the last of them is destroyed it counts as out.
    ToGraphs(Lent<A>, Vec<Arc<HeldBlocks>>),
}

/// A block that the library has given back. Dropping it gives the block to the allocator.
struct Returned<A: DeviceAllocator>(Mutex<Option<Lent<A>>>);

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

impl<A: DeviceAllocator> Default for Blocks<A> {
    fn default() -> Self {
        Self { lent: Places::default(), graphs: BTreeMap::new(), captured: None, held: 0 }
    }
}

impl<A: DeviceAllocator> Blocks<A> {
    /// From now on the graph has all blocks that are lent, until [`end_capture`](Self::end_capture).
    pub(super) fn begin_capture(&mut self, graph: &Arc<HeldBlocks>) {
        for pointer in self.lent.pointers() {
            let graphs = self.graphs.entry(pointer).or_default();
            graphs.retain(|graph| graph.strong_count() > 0);
            graphs.push(Arc::downgrade(graph));
        }
        self.captured = Some(Arc::downgrade(graph));
    }

    /// The capture is over: the graph gets no more blocks.
    pub(super) fn end_capture(&mut self) {
        self.captured = None;
    }

    /// Lends a block to the library: the pointer by which the library knows it.
    #[inline(always)]
    pub(super) fn lend(&mut self, address: DeviceAddress, lent: Lent<A>) -> *mut c_void {
        let pointer = self.lent.lend(address, lent);
        if let Some(graph) = &self.captured {
            self.graphs.insert(pointer.addr(), vec![Weak::clone(graph)]);
        }
        pointer
    }

    /// The library gives a block back. `None` for a pointer that was not lent.
    #[inline(always)]
    pub(super) fn take_back(&mut self, pointer: *mut c_void) -> Option<ComesBack<A>> {
        let lent = self.lent.take_back(pointer)?;
        if self.graphs.is_empty() {
            Some(ComesBack::ToTheAllocator(lent))
        } else {
            Some(self.of_captures(pointer, lent))
        }
    }

    #[cold]
    #[inline(never)]
    fn of_captures(&mut self, pointer: *mut c_void, lent: Lent<A>) -> ComesBack<A> {
        let graphs = self.graphs.remove(&pointer.addr()).unwrap_or_default();
        let graphs: Vec<_> = graphs.iter().filter_map(Weak::upgrade).collect();
        if graphs.is_empty() {
            return ComesBack::ToTheAllocator(lent);
        }
        self.held += 1;
        ComesBack::ToGraphs(lent, graphs)
    }

    /// A graph gives a block back.
    fn is_held_no_more(&mut self) {
        self.held -= 1;
    }

    /// Whether the library has a block at this address.
    pub(super) fn has_lent(&self, address: DeviceAddress) -> bool {
        self.lent.has(address)
    }

    /// How many are not with the allocator.
    pub(super) fn out(&self) -> usize {
        self.lent.count() + self.held
    }
}

/// Keeps a block that the library has given back for these graphs.
#[cold]
#[inline(never)]
pub(super) fn hold<A: DeviceAllocator>(allocator: Option<Arc<A>>, lent: Lent<A>, graphs: Vec<Arc<HeldBlocks>>) {
    let block: KeptBlock = Arc::new(Returned(Mutex::new(Some(lent))));
    graphs.iter().for_each(|graph| graph.keep(&block));
    // Graphs that were destroyed meanwhile have not kept it. Then this drop gives it to the allocator.
    contained(|| drop(block));
    let_go(allocator);
    // A graph may have been destroyed meanwhile.
    contained(|| drop(graphs));
}

impl<A: DeviceAllocator> Drop for Returned<A> {
    fn drop(&mut self) {
        let lent = self.0.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let Some(lent) = lent else { return };
        // Taken before the block is no longer counted, so that code that takes the allocator out sees one of them.
        let allocator = lent.keeps.comes_back(Blocks::is_held_no_more);
        Registered::give_to(allocator, lent);
    }
}

impl fmt::Debug for HeldBlocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let blocks = self.blocks().as_ref().map_or(0, Vec::len);
        f.debug_struct("HeldBlocks").field("given_back", &blocks).finish()
    }
}
