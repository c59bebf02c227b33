//! Blocks of a caller's allocator that captured graphs have.
//!
//! A captured task uses its memory at each replay. But the library gives this memory back as if the task had run: it
//! may call the allocator's free function as soon as the task is recorded (ALLOC-14). So a graph has every block that
//! the library has during the capture: blocks from before, which the library may use for the tasks, and blocks that it
//! gets then. A block that the library gives back goes to the allocator when the last graph that has it is destroyed.

use super::allocator::{InUse, KeptBlock, Registered};
use super::places::{CameBack, Places};
use crate::callback_guard::contained;
use crate::device_allocator::{DeviceAddress, DeviceAllocator};
use core::ffi::c_void;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// The blocks that a graph has and the library has given back. `None` when the graph is destroyed.
pub(crate) struct HeldBlocks(Mutex<Option<Vec<KeptBlock>>>);

/// The blocks of one allocator that the library or graphs have.
///
/// A block is lent and taken back without a lock, unless a graph has it or is being captured. A block that a graph has
/// is marked in its place.
pub(super) struct Blocks<A: DeviceAllocator> {
    /// Those that the library has.
    lent: Places<LentBlock<A>>,
    graphs: Mutex<Graphs>,
}

/// The graphs that have blocks of an allocator.
#[derive(Default)]
struct Graphs {
    /// The graphs that have a block, by the block's pointer. These blocks are marked.
    of: BTreeMap<usize, Vec<Weak<HeldBlocks>>>,
    /// The graph whose capture is under way on the allocator's stream.
    captured: Option<Weak<HeldBlocks>>,
    /// How many blocks graphs still have after the library gave them back.
    held: usize,
}

/// A block that the library has or has given back. Its allocator stays in place, even if the library keeps the block
/// beyond the registration, or forever.
pub(super) struct LentBlock<A: DeviceAllocator> {
    pub(super) block: A::Block,
    pub(super) in_use: InUse<A>,
}

/// A block that the library has given back. Dropping it gives the block to the allocator.
struct Returned<A: DeviceAllocator>(Mutex<Option<LentBlock<A>>>);

impl Default for HeldBlocks {
    fn default() -> Self {
        Self(Mutex::new(Some(Vec::new())))
    }
}

impl HeldBlocks {
    /// Takes the blocks out, because the graph is destroyed. It gets no more. Dropping them runs code of the user.
    pub(super) fn end(&self) -> Vec<KeptBlock> {
        self.blocks().take().unwrap_or_default()
    }

    /// Keeps a block for the graph, unless the graph is destroyed.
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
        Self { lent: Places::default(), graphs: Mutex::default() }
    }
}

impl<A: DeviceAllocator> Blocks<A> {
    /// From now on the graph has all blocks that are lent, until [`end_capture`](Self::end_capture).
    pub(super) fn begin_capture(&self, graph: &Arc<HeldBlocks>) {
        let mut graphs = self.graphs();
        graphs.captured = Some(Arc::downgrade(graph));
        for pointer in self.lent.begin_marking() {
            graphs.add(pointer, &Arc::downgrade(graph));
        }
    }

    /// Ends what [`begin_capture`](Self::begin_capture) began: the graph gets no more blocks.
    pub(super) fn end_capture(&self) {
        let mut graphs = self.graphs();
        graphs.captured = None;
        self.lent.end_marking();
    }

    /// Lends a block to the library. Returns the pointer by which the library knows the block.
    #[inline(always)]
    pub(super) fn lend(&self, address: DeviceAddress, lent: LentBlock<A>) -> *mut c_void {
        let (pointer, is_of_capture) = self.lent.lend(address.number(), lent);
        if is_of_capture {
            self.lent_in_capture(pointer);
        }
        pointer
    }

    #[cold]
    #[inline(never)]
    fn lent_in_capture(&self, pointer: *mut c_void) {
        let mut graphs = self.graphs();
        if let Some(graph) = graphs.captured.clone()
            && self.lent.mark(pointer)
        {
            graphs.add(pointer.addr(), &graph);
        }
    }

    /// The library gives a block back. `None` for a pointer that was not lent.
    #[inline(always)]
    pub(super) fn take_back(&self, pointer: *mut c_void) -> Option<CameBack<'_, LentBlock<A>>> {
        self.lent.take_back(pointer)
    }

    /// The graphs that have this marked block, which the library gave back. The block counts as out until they
    /// [release](Self::count_released) it.
    #[cold]
    #[inline(never)]
    pub(super) fn take_graphs_of(
        &self,
        pointer: *mut c_void,
        back: CameBack<'_, LentBlock<A>>,
    ) -> (LentBlock<A>, Vec<Arc<HeldBlocks>>) {
        let mut graphs = self.graphs();
        graphs.held += 1;
        let of_it = graphs.of.remove(&pointer.addr()).unwrap_or_default();
        // This frees the block's place. It comes after the entry in `of` was removed, because another block may get the
        // place, and an entry of its own, at once.
        (back.leave(), of_it.iter().filter_map(Weak::upgrade).collect())
    }

    /// Notes that no graph has the block any more.
    fn count_released(&self) {
        self.graphs().held -= 1;
    }

    /// Whether the library has a block at this address.
    pub(super) fn has_lent(&self, address: DeviceAddress) -> bool {
        self.lent.has(address.number())
    }

    /// How many blocks the library or graphs have.
    pub(super) fn out(&self) -> usize {
        let graphs = self.graphs();
        self.lent.count() + graphs.held
    }

    fn graphs(&self) -> MutexGuard<'_, Graphs> {
        self.graphs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Graphs {
    /// Notes that the graph has the block behind this pointer.
    fn add(&mut self, pointer: usize, graph: &Weak<HeldBlocks>) {
        let graphs = self.of.entry(pointer).or_default();
        graphs.retain(|other| other.strong_count() > 0 && !Weak::ptr_eq(other, graph));
        graphs.push(Weak::clone(graph));
    }
}

/// Keeps a block that the library has given back for these graphs.
#[cold]
#[inline(never)]
pub(super) fn hold<A: DeviceAllocator>(lent: LentBlock<A>, graphs: Vec<Arc<HeldBlocks>>) {
    let block: KeptBlock = Arc::new(Returned(Mutex::new(Some(lent))));
    graphs.iter().for_each(|graph| graph.keep(&block));
    // If no graph has kept the block, this drop gives it to the allocator.
    contained(|| drop(block));
    // A graph may have been destroyed meanwhile.
    contained(|| drop(graphs));
}

impl<A: DeviceAllocator> Drop for Returned<A> {
    fn drop(&mut self) {
        let lent = self.0.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let Some(lent) = lent else { return };
        lent.in_use.blocks().count_released();
        Registered::give_back(lent);
    }
}

impl fmt::Debug for HeldBlocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let blocks = self.blocks().as_ref().map_or(0, Vec::len);
        f.debug_struct("HeldBlocks").field("given_back", &blocks).finish()
    }
}
