//! The pool's books: which pieces of its memory are with the library, and which can be handed out.
//!
//! Sizes are rounded up to classes, four to each power of two, so that a piece that was given back fits the next request
//! of about its size, and at most a fifth of a large piece is lost to rounding. A piece that comes back is handed out
//! again at once: the stream runs in order, so whatever still uses it is done before the next task begins (ALLOC-14).

use core::num::NonZeroUsize;
use std::collections::BTreeMap;

/// What a [`PoolAllocator`](crate::PoolAllocator) has, and what was asked of it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct PoolStatistics {
    /// Pieces of device memory that the pool got from the system.
    pub chunks: usize,
    /// Their bytes.
    pub reserved: usize,
    /// Blocks that are with the library.
    pub blocks: usize,
    /// Their bytes, rounded up to size classes.
    pub bytes: usize,
    /// The most bytes that were with the library at one time.
    pub peak: usize,
    /// Requests that got a block that had been used before.
    pub hits: u64,
    /// Requests that got a block that was cut from memory not used before.
    pub misses: u64,
    /// Requests that the pool had no room for.
    pub refused: u64,
    /// The bytes of the largest of those: what [`grow`](crate::PoolAllocator::grow) has to add.
    pub largest_refused: usize,
}

/// `M` is what keeps a chunk allocated.
#[derive(Debug)]
pub(crate) struct Arena<M> {
    chunks: BTreeMap<u64, Chunk<M>>,
    /// Pieces that came back, by size.
    free: BTreeMap<usize, Vec<Piece>>,
    statistics: PoolStatistics,
}

#[derive(Debug)]
struct Chunk<M> {
    memory: M,
    start: NonZeroUsize,
    bytes: usize,
    /// Bytes that were cut off so far.
    cut: usize,
    /// Pieces that are out.
    out: usize,
}

/// A piece of a chunk. It has no `Clone`: whoever has it is the only one.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    chunk: u64,
    address: NonZeroUsize,
    bytes: usize,
}

/// The smallest class, and the alignment of all of them: as much as any work on the device demands.
const GRAIN: usize = 512;
/// What the vendor wants behind each piece of a block that is cut up (MEM-08).
const SPARE: usize = 32;

impl Piece {
    pub(crate) fn address(&self) -> NonZeroUsize {
        self.address
    }
}

impl<M> Arena<M> {
    pub(crate) fn new() -> Self {
        Self { chunks: BTreeMap::new(), free: BTreeMap::new(), statistics: PoolStatistics::default() }
    }

    pub(crate) fn statistics(&self) -> PoolStatistics {
        self.statistics
    }

    /// Adds a chunk. `name` was given to no other chunk of any pool.
    pub(crate) fn add(&mut self, name: u64, start: NonZeroUsize, bytes: usize, memory: M) {
        // The system aligns to less than a grain, perhaps.
        let skipped = start.get().wrapping_neg() % GRAIN;
        let chunk = Chunk { memory, start, bytes, cut: skipped.min(bytes), out: 0 };
        self.chunks.insert(name, chunk);
        self.statistics.chunks += 1;
        self.statistics.reserved += bytes;
    }

    /// A piece of at least `bytes` bytes.
    pub(crate) fn take(&mut self, bytes: usize) -> Option<Piece> {
        let piece = size_class(bytes).and_then(|class| self.find(class));
        let statistics = &mut self.statistics;
        let Some((piece, used_before)) = piece else {
            statistics.refused += 1;
            statistics.largest_refused = statistics.largest_refused.max(bytes);
            return None;
        };
        statistics.hits += u64::from(used_before);
        statistics.misses += u64::from(!used_before);
        statistics.blocks += 1;
        statistics.bytes += piece.bytes;
        statistics.peak = statistics.peak.max(statistics.bytes);
        if let Some(chunk) = self.chunks.get_mut(&piece.chunk) {
            chunk.out += 1;
        }
        Some(piece)
    }

    /// Takes a piece back. One of another pool is left alone.
    pub(crate) fn put(&mut self, piece: Piece) {
        let Some(chunk) = self.chunks.get_mut(&piece.chunk) else { return };
        chunk.out = chunk.out.saturating_sub(1);
        self.statistics.blocks = self.statistics.blocks.saturating_sub(1);
        self.statistics.bytes = self.statistics.bytes.saturating_sub(piece.bytes);
        self.free.entry(piece.bytes).or_default().push(piece);
    }

    /// The memory of chunks that have no piece out. The caller knows that no queued work uses them (ALLOC-11).
    pub(crate) fn remove_idle(&mut self) -> Vec<M> {
        self.forget_cuts();
        let (idle, busy): (BTreeMap<_, _>, _) =
            core::mem::take(&mut self.chunks).into_iter().partition(|(_, chunk)| chunk.out == 0);
        self.chunks = busy;
        let mut memory = Vec::new();
        for chunk in idle.into_values() {
            self.statistics.chunks -= 1;
            self.statistics.reserved -= chunk.bytes;
            memory.push(chunk.memory);
        }
        memory
    }

    fn find(&mut self, class: usize) -> Option<(Piece, bool)> {
        let near = class.saturating_mul(2);
        if let Some(piece) = self.reuse(class, class) {
            return Some((piece, true));
        }
        if let Some(piece) = self.cut(class) {
            return Some((piece, false));
        }
        if let Some(piece) = self.reuse(class, near) {
            return Some((piece, true));
        }
        self.forget_cuts();
        if let Some(piece) = self.cut(class) {
            return Some((piece, true));
        }
        self.reuse(class, usize::MAX).map(|piece| (piece, true))
    }

    /// The smallest piece of these sizes that came back.
    fn reuse(&mut self, least: usize, most: usize) -> Option<Piece> {
        let pieces = self.free.range_mut(least..=most).map(|(_, pieces)| pieces);
        pieces.filter(|pieces| !pieces.is_empty()).find_map(Vec::pop)
    }

    fn cut(&mut self, class: usize) -> Option<Piece> {
        let (name, chunk) = self.chunks.iter_mut().find(|(_, chunk)| chunk.bytes - chunk.cut >= class)?;
        let address = chunk.start.checked_add(chunk.cut)?;
        chunk.cut += class;
        Some(Piece { chunk: *name, address, bytes: class })
    }

    /// Makes whole again the chunks that have no piece out, so that they can be cut to other sizes.
    fn forget_cuts(&mut self) {
        for (name, chunk) in self.chunks.iter_mut().filter(|(_, chunk)| chunk.out == 0) {
            chunk.cut = (chunk.start.get().wrapping_neg() % GRAIN).min(chunk.bytes);
            self.free.values_mut().for_each(|pieces| pieces.retain(|piece| piece.chunk != *name));
        }
    }
}

/// The size of the pieces that requests of this size get: the next quarter step between two powers of two.
fn size_class(bytes: usize) -> Option<usize> {
    let need = bytes.checked_add(SPARE)?;
    let step = (need.checked_next_power_of_two()? / 8).max(GRAIN);
    need.checked_next_multiple_of(step)
}
