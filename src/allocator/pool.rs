//! A ready-made allocator over device memory.

#![allow(unsafe_code, reason = "an implementation of `DeviceAllocator`, without a block")]

use super::arena::{Arena, PoolStatistics};
use super::recent::Recent;
use super::size_class::SizeClass;
use crate::brand::Brand;
use crate::current::Current;
use crate::device_allocator::{ContextId, DeviceAddress, DeviceAllocator};
use crate::error::{Error, Failed};
use crate::ffi::{Home, RawBuffer};
use ascendcl_macros::rule;
use core::fmt;
use core::num::NonZeroUsize;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// An allocator over device memory that it reserves beforehand.
///
/// Register it on a stream ([`Stream::register`](crate::Stream::register)), or share it among streams that run in turn
/// ([`AllocatorGroup`](crate::stream::AllocatorGroup)). Inside the library's calls the pool never asks the system for
/// memory (ALLOC-18). If it has no free memory for a request, it refuses the request, and the work fails. Then
/// [grow](Self::grow) the pool by [`PoolStatistics::largest_refused`].
///
/// Its memory belongs to the scope of the context in which it was created. It is freed only when the work of the stream
/// is known to be complete (ALLOC-11): by [`IdleProof::trim`](crate::stream::IdleProof::trim) while the pool is
/// registered, by [`release`](Self::release) while it is not, and at the latest at the end of the scope. After the end
/// of its scope, a pool cannot be registered any more.
///
/// ```
/// # use ascendcl::{Library, allocator::PoolAllocator};
/// # ascendcl::run(Library::Simulator, |current| {
/// let pool = PoolAllocator::new(current, 1 << 20)?;
/// let mut stream = current.stream()?.register(current, pool)?;
/// // … work …
/// stream.idle(current)?.trim(current)?;
/// let (_stream, pool) = stream.unregister(current)?;
/// assert_eq!(pool.statistics().reserved_bytes, 0);
/// # Ok::<_, ascendcl::Error>(())
/// # }).unwrap();
/// ```
#[must_use = "a pool serves the stream that it is registered on"]
#[rule(ALLOC_11, ALLOC_14)]
#[diagnostic::on_move(
    message = "this pool serves a stream, or was released",
    note = "ALLOC-10, ALLOC-12: each stream has a pool of its own: `PoolAllocator::new(current, bytes)?`; `stream.unregister(current)?` gives it back"
)]
pub struct PoolAllocator {
    context: ContextId,
    /// Identifies the pool in its blocks. No other pool of the process has this number.
    number: u64,
    /// Boxed, so that the pool is small to move and to return.
    blocks: Box<Blocks>,
}

/// A block of a [`PoolAllocator`].
#[derive(Debug)]
pub struct PoolBlock {
    /// The number of its pool.
    pool: u64,
    address: NonZeroUsize,
    size: SizeClass,
}

/// The memory of a pool. A request takes no lock if a block of its size was returned recently.
struct Blocks {
    recent: Recent,
    /// How many requests got one of the recent blocks.
    hits: AtomicU64,
    /// The bytes of all blocks that the library has, and the most of them so far.
    bytes: AtomicUsize,
    peak: AtomicUsize,
    arena: Mutex<Arena<Arc<RawBuffer>>>,
}

impl PoolAllocator {
    /// A pool with `bytes` bytes of device memory (`aclrtMalloc`).
    ///
    /// A new block takes the requested bytes and 32 more (MEM-08), rounded up: to a multiple of 512 bytes up to 4096 bytes,
    /// and by up to a quarter beyond. A request may also get a larger block that came back.
    ///
    /// # Errors
    ///
    /// As for [`Current::device_buffer`].
    pub fn new<C: Brand>(current: &Current<C>, bytes: usize) -> Result<Self, Error> {
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        let mut pool = Self { context: current.id(), number, blocks: Box::new(Blocks::none()) };
        pool.grow(current, bytes)?;
        Ok(pool)
    }

    /// Reserves `bytes` more bytes, in one chunk (`aclrtMalloc`). While the pool is registered, use
    /// [`Stream::grow_pool`](crate::Stream::grow_pool).
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new); [`Error::AllocatorOfOtherContext`] if the pool belongs to another context.
    pub fn grow<C: Brand>(&mut self, current: &Current<C>, bytes: usize) -> Result<(), Error> {
        self.check_context(current.id())?;
        self.add(current.id(), Self::reserve(current, bytes)?)
    }

    /// The memory of the pool, and its requests so far.
    pub fn statistics(&self) -> PoolStatistics {
        self.blocks.statistics()
    }

    /// Frees all memory (`aclrtFree`). The pool is taken by value, so it is not registered, and the stream that it
    /// served was synchronised.
    ///
    /// # Errors
    ///
    /// [`Error::BlocksInUse`] with the unchanged pool, while the library has blocks, and [`Error::AllocatorOfOtherContext`] with the
    /// unchanged pool, if it belongs to another context. With [`Error::Vendor`] the pool that comes back has no memory any
    /// more: what the library refused to free stays with the scope, and a second `release` does not try again.
    pub fn release<C: Brand>(
        self, // MEM-01: a pool is released once and last: for another one, call `PoolAllocator::new(current, bytes)`
        current: &Current<C>,
    ) -> Result<(), Failed<Self>> {
        let freed = match self.statistics().blocks_in_use {
            0 => self
                .remove_idle(current.id())
                .and_then(|chunks| chunks.iter().map(|chunk| current.ledger().free(chunk)).fold(Ok(()), Result::and)),
            count => Err(Error::BlocksInUse { count }),
        };
        freed.map_err(|error| Failed { error, value: self })
    }

    /// Allocates memory for a pool of this context.
    pub(crate) fn reserve<C: Brand>(current: &Current<C>, bytes: usize) -> Result<Arc<RawBuffer>, Error> {
        current.ledger().allocate(Home::Device, bytes)
    }

    /// Adds memory to the pool.
    pub(crate) fn add(&self, context: ContextId, chunk: Arc<RawBuffer>) -> Result<(), Error> {
        self.check_context(context)?;
        self.blocks.arena().add(chunk.exposed_start(), chunk.bytes(), chunk);
        Ok(())
    }

    /// Removes the memory without blocks in use. It is freed in this context, which has to be the pool's. The caller
    /// knows that no queued work uses it.
    pub(crate) fn remove_idle(&self, context: ContextId) -> Result<Vec<Arc<RawBuffer>>, Error> {
        self.check_context(context)?;
        Ok(self.blocks.all().remove_idle())
    }

    /// An error if the pool's memory belongs to another context.
    pub(crate) fn check_context(&self, context: ContextId) -> Result<(), Error> {
        if context == self.context { Ok(()) } else { Err(Error::AllocatorOfOtherContext { context }) }
    }
}

impl Blocks {
    fn none() -> Self {
        Self {
            recent: Recent::new(),
            hits: AtomicU64::new(0),
            bytes: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            arena: Mutex::new(Arena::new()),
        }
    }

    /// Hands out the address of a block of at least so many bytes, and its size.
    #[inline(always)]
    fn take(&self, bytes: usize) -> Option<(NonZeroUsize, SizeClass)> {
        let size = SizeClass::of(bytes);
        let (address, size) = match size.and_then(|size| Some((self.recent.take(size)?, size))) {
            Some(recent) => {
                self.hits.fetch_add(1, Ordering::Relaxed);
                recent
            }
            None => self.take_from_arena(size)?,
        };
        let now = self.bytes.fetch_add(size.bytes(), Ordering::Relaxed) + size.bytes();
        if now > self.peak.load(Ordering::Relaxed) {
            self.peak.fetch_max(now, Ordering::Relaxed);
        }
        Some((address, size))
    }

    #[cold]
    #[inline(never)]
    fn take_from_arena(&self, size: Option<SizeClass>) -> Option<(NonZeroUsize, SizeClass)> {
        if let Some(size) = size
            && let Some(address) = self.arena().take_again(size)
        {
            return Some((address, size));
        }
        let mut arena = self.all();
        let taken = size.and_then(|size| arena.take(size));
        if taken.is_none() {
            arena.refuse(size);
        }
        taken
    }

    /// Takes a block back.
    #[inline(always)]
    fn put(&self, address: NonZeroUsize, size: SizeClass) {
        self.bytes.fetch_sub(size.bytes(), Ordering::Relaxed);
        if !self.recent.put(size, address) {
            self.put_into_arena(address, size);
        }
    }

    #[cold]
    #[inline(never)]
    fn put_into_arena(&self, address: NonZeroUsize, size: SizeClass) {
        self.arena().put(address, size);
    }

    fn statistics(&self) -> PoolStatistics {
        let statistics = self.all().statistics();
        PoolStatistics {
            hits: statistics.hits + self.hits.load(Ordering::Relaxed),
            bytes_in_use: self.bytes.load(Ordering::Relaxed),
            peak_bytes: self.peak.load(Ordering::Relaxed),
            ..statistics
        }
    }

    /// The arena, after the recent blocks were returned to it.
    fn all(&self) -> MutexGuard<'_, Arena<Arc<RawBuffer>>> {
        let mut arena = self.arena();
        self.recent.take_all().for_each(|(size, address)| arena.put(address, size));
        arena
    }

    fn arena(&self) -> MutexGuard<'_, Arena<Arc<RawBuffer>>> {
        self.arena.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

// SAFETY: `DeviceAllocator` asks for blocks of device memory of a context that the allocator serves. They must be long
// enough, aligned and disjoint, and stay allocated until they came back and no work uses them. A block is at least as
// long as requested, aligned to 512 bytes, and inside a chunk of device memory of the pool's context; `serves` refuses
// other contexts. A block is not handed out again until it came back, so the blocks that are out do not overlap. A
// chunk's row keeps the chunk allocated while the pool has it, and the pool removes a chunk only with the proof that
// its stream is idle (MEM-02). A pool that is dropped was not registered, or its stream is destroyed; both require a
// synchronise. No two pools share a chunk, because chunks are moved into the pool.
unsafe impl DeviceAllocator for PoolAllocator {
    type Block = PoolBlock;

    #[inline]
    fn allocate(&self, bytes: usize) -> Option<PoolBlock> {
        let (address, size) = self.blocks.take(bytes)?;
        Some(PoolBlock { pool: self.number, address, size })
    }

    #[inline]
    fn address(&self, block: &PoolBlock) -> DeviceAddress {
        block.address.into()
    }

    /// Ignores a block of another pool.
    #[inline]
    fn free(&self, block: PoolBlock) {
        if block.pool == self.number {
            self.blocks.put(block.address, block.size);
        }
    }

    #[inline]
    fn serves(&self, context: ContextId) -> bool {
        context == self.context
    }
}

/// Without the memory, whose list is locked: the program's writer may use the pool, and other threads do.
impl fmt::Debug for PoolAllocator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes_in_use = self.blocks.bytes.load(Ordering::Relaxed);
        let mut shown = f.debug_struct("PoolAllocator");
        shown.field("number", &self.number).field("bytes_in_use", &bytes_in_use).finish_non_exhaustive()
    }
}
