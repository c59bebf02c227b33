//! The accounting of the pool: which blocks the library has, and which are free.
//!
//! A returned block can be reused immediately: the stream runs in order, so work that still uses the block is complete
//! before the next task begins (ALLOC-14).

use super::size_class::{GRAIN, SizeClass};
use core::mem;
use core::num::NonZeroUsize;

/// The memory of a [`PoolAllocator`](crate::allocator::PoolAllocator), and its requests so far.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct PoolStatistics {
    /// The number of chunks of device memory that the pool allocated.
    pub chunks: usize,
    /// Their bytes.
    pub reserved_bytes: usize,
    /// The number of blocks that the library has.
    pub blocks_in_use: usize,
    /// Their bytes, rounded up to size classes.
    pub bytes_in_use: usize,
    /// The largest number of bytes that the library had at one time.
    pub peak_bytes: usize,
    /// The number of requests that got a reused block.
    pub hits: u64,
    /// The number of requests that got a block of unused memory.
    pub misses: u64,
    /// The number of requests that the pool refused because it had no free memory.
    pub refused: u64,
    /// What the largest refused request needs, with its spare bytes and its alignment:
    /// [`grow`](crate::allocator::PoolAllocator::grow) has to add as many bytes. `usize::MAX` if no memory has as many.
    pub largest_refused: usize,
}

/// `M` is the value that keeps a chunk allocated.
#[derive(Debug)]
pub(super) struct Arena<M> {
    /// By address.
    chunks: Vec<Chunk<M>>,
    /// The addresses of returned blocks, by the numbers of their sizes. There are a few dozen sizes at most, and these
    /// vectors are never removed, so a block that is handed out and comes back again and again allocates nothing.
    free: Vec<Vec<NonZeroUsize>>,
    requests: Requests,
}

/// The requests so far.
#[derive(Clone, Copy, Default, Debug)]
struct Requests {
    hits: u64,
    misses: u64,
    refused: u64,
    largest_refused: usize,
}

#[derive(Debug)]
struct Chunk<M> {
    memory: M,
    start: NonZeroUsize,
    bytes: usize,
    /// The bytes that blocks were cut from so far.
    cut: usize,
    /// Blocks of the chunk that the library has, or that came back lately and are kept apart (`recent.rs`).
    out: usize,
}

impl<M> Arena<M> {
    pub(super) fn new() -> Self {
        Self { chunks: Vec::new(), free: Vec::new(), requests: Requests::default() }
    }

    /// The chunks and the requests. The bytes of blocks are not counted here.
    pub(super) fn statistics(&self) -> PoolStatistics {
        let Requests { hits, misses, refused, largest_refused } = self.requests;
        PoolStatistics {
            chunks: self.chunks.len(),
            reserved_bytes: self.chunks.iter().map(|chunk| chunk.bytes).sum(),
            blocks_in_use: self.chunks.iter().map(|chunk| chunk.out).sum(),
            hits,
            misses,
            refused,
            largest_refused,
            ..PoolStatistics::default()
        }
    }

    /// Adds a chunk.
    pub(super) fn add(&mut self, start: NonZeroUsize, bytes: usize, memory: M) {
        let chunk = Chunk { memory, start, bytes, cut: skipped(start).min(bytes), out: 0 };
        let place = self.chunks.partition_point(|other| other.start < start);
        self.chunks.insert(place, chunk);
    }

    /// Hands out a returned block of exactly this size.
    pub(super) fn take_again(&mut self, size: SizeClass) -> Option<NonZeroUsize> {
        let address = self.free.get_mut(size.number())?.pop()?;
        self.count_handed_out(address, true);
        Some(address)
    }

    /// Hands out the address of a block of at least this size, and its size.
    pub(super) fn take(&mut self, size: SizeClass) -> Option<(NonZeroUsize, SizeClass)> {
        let near = size.bytes().saturating_mul(2);
        let (address, size, used_before) = None
            .or_else(|| self.reuse(size, size.bytes()))
            .or_else(|| self.cut(size, false))
            .or_else(|| self.reuse(size, near))
            .or_else(|| {
                self.forget_cuts();
                self.cut(size, true)
            })
            .or_else(|| self.reuse(size, usize::MAX))?;
        self.count_handed_out(address, used_before);
        Some((address, size))
    }

    /// Counts a request for a block of this size as refused; `None` if no memory has as many bytes.
    pub(super) fn refuse(&mut self, size: Option<SizeClass>) {
        // A chunk may begin up to so many bytes before its first block.
        let needs = size.map_or(usize::MAX, |size| size.bytes() + GRAIN - 1);
        self.requests.refused += 1;
        self.requests.largest_refused = self.requests.largest_refused.max(needs);
    }

    /// Takes a block back.
    pub(super) fn put(&mut self, address: NonZeroUsize, size: SizeClass) {
        let Some(chunk) = chunk_of(&mut self.chunks, address) else { return };
        chunk.out = chunk.out.saturating_sub(1);
        if self.free.len() <= size.number() {
            self.free.resize_with(size.number() + 1, Vec::new);
        }
        if let Some(of_size) = self.free.get_mut(size.number()) {
            of_size.push(address);
        }
    }

    /// Removes the chunks without blocks in use. The caller knows that no queued work uses them (ALLOC-11).
    pub(super) fn remove_idle(&mut self) -> Vec<M> {
        self.forget_cuts();
        let (idle, busy): (Vec<_>, _) = mem::take(&mut self.chunks).into_iter().partition(|chunk| chunk.out == 0);
        self.chunks = busy;
        idle.into_iter().map(|chunk| chunk.memory).collect()
    }

    /// Counts a block as handed out.
    fn count_handed_out(&mut self, address: NonZeroUsize, used_before: bool) {
        self.requests.hits += u64::from(used_before);
        self.requests.misses += u64::from(!used_before);
        if let Some(chunk) = chunk_of(&mut self.chunks, address) {
            chunk.out += 1;
        }
    }

    /// The smallest returned block of at least this size, and of at most `most` bytes.
    fn reuse(&mut self, least: SizeClass, most: usize) -> Option<(NonZeroUsize, SizeClass, bool)> {
        let sizes = self.free.iter_mut().enumerate().skip(least.number());
        let sizes = sizes.map(|(number, free)| (SizeClass::numbered(number), free));
        let mut fitting = sizes.take_while(|(size, _)| size.bytes() <= most);
        fitting.find_map(|(size, free)| Some((free.pop()?, size, true)))
    }

    fn cut(&mut self, size: SizeClass, used_before: bool) -> Option<(NonZeroUsize, SizeClass, bool)> {
        let chunk = self.chunks.iter_mut().find(|chunk| chunk.bytes - chunk.cut >= size.bytes())?;
        let address = chunk.start.checked_add(chunk.cut)?;
        chunk.cut += size.bytes();
        Some((address, size, used_before))
    }

    /// Merges the chunks without blocks in use, so that they can be divided into other sizes.
    fn forget_cuts(&mut self) {
        for chunk in self.chunks.iter_mut().filter(|chunk| chunk.out == 0) {
            chunk.cut = skipped(chunk.start).min(chunk.bytes);
            let end = chunk.start.saturating_add(chunk.bytes);
            self.free.iter_mut().for_each(|free| free.retain(|address| !(chunk.start..end).contains(address)));
        }
    }
}

/// How many bytes at the start of a chunk are not used, because the system may align chunks to less than a grain.
fn skipped(start: NonZeroUsize) -> usize {
    start.get().wrapping_neg() % GRAIN
}

/// The chunk that a block was cut from.
fn chunk_of<M>(chunks: &mut [Chunk<M>], address: NonZeroUsize) -> Option<&mut Chunk<M>> {
    let after = chunks.partition_point(|chunk| chunk.start <= address);
    chunks.get_mut(after.checked_sub(1)?)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_of_what_a_refused_request_needs_serves_it_wherever_it_begins() {
        for request in [1, 480, 481, 1000, 4000, 4096, 5000, 100_000] {
            let size = SizeClass::of(request).unwrap();
            for start in [GRAIN, GRAIN + 1, 2 * GRAIN - 1] {
                let mut arena = Arena::new();
                assert!(arena.take(size).is_none());
                arena.refuse(Some(size));
                let needs = arena.statistics().largest_refused;
                arena.add(NonZeroUsize::new(start).unwrap(), needs, ());
                assert!(arena.take(size).is_some(), "{needs} bytes at {start} for {request}");
            }
        }
        let mut arena = Arena::<()>::new();
        arena.refuse(SizeClass::of(usize::MAX));
        assert_eq!(arena.statistics().largest_refused, usize::MAX);
    }
}
