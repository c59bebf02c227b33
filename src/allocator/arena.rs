//! The accounting of the pool: which blocks the library has, and which are free.
//!
//! Sizes are rounded up to size classes, four per power of two. So a returned block fits the next request of a similar
//! size, and rounding wastes at most a fifth of a large block. A returned block can be reused immediately: the stream
//! runs in order, so work that still uses the block is complete before the next task begins (ALLOC-14).

use core::mem;
use core::num::NonZeroUsize;

/// The memory of a [`PoolAllocator`](crate::allocator::PoolAllocator), and its requests so far.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct PoolStatistics {
    /// The number of chunks of device memory that the pool allocated.
    pub chunks: usize,
    /// Their bytes.
    pub reserved: usize,
    /// The number of blocks that the library has.
    pub blocks: usize,
    /// Their bytes, rounded up to size classes.
    pub bytes: usize,
    /// The largest number of bytes that the library had at one time.
    pub peak: usize,
    /// The number of requests that got a reused block.
    pub hits: u64,
    /// The number of requests that got a block of unused memory.
    pub misses: u64,
    /// The number of requests that the pool refused because it had no free memory.
    pub refused: u64,
    /// The size of the largest refused request: [`grow`](crate::allocator::PoolAllocator::grow) has to add as many
    /// bytes.
    pub largest_refused: usize,
}

/// `M` is the value that keeps a chunk allocated.
#[derive(Debug)]
pub(crate) struct Arena<M> {
    /// By name.
    chunks: Vec<Chunk<M>>,
    /// Returned blocks, by size.
    free: Vec<SizeClass>,
    statistics: PoolStatistics,
}

#[derive(Debug)]
struct Chunk<M> {
    name: u64,
    memory: M,
    start: NonZeroUsize,
    bytes: usize,
    /// Bytes that were handed out in blocks so far.
    cut: usize,
    /// Blocks of the chunk that the library has.
    out: usize,
}

/// The returned blocks of one size. There are a few dozen sizes at most, so a search in a vector is quick, and none of
/// them is ever removed: giving a block out and taking it back allocates nothing.
#[derive(Debug)]
struct SizeClass {
    bytes: usize,
    pieces: Vec<Piece>,
}

/// A part of a chunk. It is not `Clone`, so it has one owner.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    chunk: u64,
    address: NonZeroUsize,
    bytes: usize,
}

/// The smallest size class, and the alignment of all blocks. It is enough for any work on the device.
const GRAIN: usize = 512;
/// The spare bytes that the vendor requires after each part of a divided block (MEM-08).
const SPARE: usize = 32;

impl Piece {
    pub(crate) fn address(&self) -> NonZeroUsize {
        self.address
    }
}

impl<M> Arena<M> {
    pub(crate) fn new() -> Self {
        Self { chunks: Vec::new(), free: Vec::new(), statistics: PoolStatistics::default() }
    }

    pub(crate) fn statistics(&self) -> PoolStatistics {
        self.statistics
    }

    /// Adds a chunk. `name` must be unique among the chunks of all pools.
    pub(crate) fn add(&mut self, name: u64, start: NonZeroUsize, bytes: usize, memory: M) {
        // The system may align chunks to less than a grain.
        let skipped = start.get().wrapping_neg() % GRAIN;
        let chunk = Chunk { name, memory, start, bytes, cut: skipped.min(bytes), out: 0 };
        let place = self.chunks.partition_point(|other| other.name < name);
        self.chunks.insert(place, chunk);
        self.statistics.chunks += 1;
        self.statistics.reserved += bytes;
    }

    /// Hands out a block of at least `bytes` bytes.
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
        if let Some(chunk) = chunk_of(&mut self.chunks, &piece) {
            chunk.out += 1;
        }
        Some(piece)
    }

    /// Takes a block back. Ignores a block of another pool.
    pub(crate) fn put(&mut self, piece: Piece) {
        let Some(chunk) = chunk_of(&mut self.chunks, &piece) else { return };
        chunk.out = chunk.out.saturating_sub(1);
        self.statistics.blocks = self.statistics.blocks.saturating_sub(1);
        self.statistics.bytes = self.statistics.bytes.saturating_sub(piece.bytes);
        let place = self.free.partition_point(|class| class.bytes < piece.bytes);
        match self.free.get_mut(place).filter(|class| class.bytes == piece.bytes) {
            Some(class) => class.pieces.push(piece),
            None => self.free.insert(place, SizeClass { bytes: piece.bytes, pieces: vec![piece] }),
        }
    }

    /// Removes the chunks without blocks in use. The caller knows that no queued work uses them (ALLOC-11).
    pub(crate) fn remove_idle(&mut self) -> Vec<M> {
        self.forget_cuts();
        let (idle, busy): (Vec<_>, _) = mem::take(&mut self.chunks).into_iter().partition(|chunk| chunk.out == 0);
        self.chunks = busy;
        let mut memory = Vec::new();
        for chunk in idle {
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

    /// The smallest returned block of these sizes.
    fn reuse(&mut self, least: usize, most: usize) -> Option<Piece> {
        let from = self.free.partition_point(|class| class.bytes < least);
        let classes = self.free.get_mut(from..)?.iter_mut().take_while(|class| class.bytes <= most);
        classes.map(|class| &mut class.pieces).find_map(Vec::pop)
    }

    fn cut(&mut self, class: usize) -> Option<Piece> {
        let chunk = self.chunks.iter_mut().find(|chunk| chunk.bytes - chunk.cut >= class)?;
        let address = chunk.start.checked_add(chunk.cut)?;
        chunk.cut += class;
        Some(Piece { chunk: chunk.name, address, bytes: class })
    }

    /// Merges the chunks without blocks in use, so that they can be divided into other sizes.
    fn forget_cuts(&mut self) {
        for chunk in self.chunks.iter_mut().filter(|chunk| chunk.out == 0) {
            chunk.cut = (chunk.start.get().wrapping_neg() % GRAIN).min(chunk.bytes);
            self.free.iter_mut().for_each(|class| class.pieces.retain(|piece| piece.chunk != chunk.name));
        }
    }
}

fn chunk_of<'c, M>(chunks: &'c mut [Chunk<M>], piece: &Piece) -> Option<&'c mut Chunk<M>> {
    let place = chunks.binary_search_by_key(&piece.chunk, |chunk| chunk.name).ok()?;
    chunks.get_mut(place)
}

/// The size class of a request: the next quarter step between two powers of two.
fn size_class(bytes: usize) -> Option<usize> {
    let need = bytes.checked_add(SPARE)?;
    let step = (need.checked_next_power_of_two()? / 8).max(GRAIN);
    need.checked_next_multiple_of(step)
}
