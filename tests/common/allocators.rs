//! Allocators that several tests register.

use ascendcl::{
    Brand, Current, DeviceAllocator,
    allocator::{PoolAllocator, PoolBlock},
    context::ContextId,
    memory::DeviceAddress,
};

/// Has no memory and refuses every request. `T` is a value inside the allocator, for example one
/// that observes its drop.
#[derive(Debug, Default)]
pub struct Empty<T = ()>(pub T);

// SAFETY: it hands out no memory.
unsafe impl<T: Send + Sync + 'static> DeviceAllocator for Empty<T> {
    type Block = DeviceAddress;

    fn allocate(&self, _: usize) -> Option<DeviceAddress> {
        None
    }

    fn address(&self, block: &DeviceAddress) -> DeviceAddress {
        *block
    }

    fn free(&self, _: DeviceAddress) {}

    fn serves(&self, _: ContextId) -> bool {
        true
    }
}

/// The reactions of a test to the calls of a [`Watched`] pool. Its `Drop` is the reaction to the end.
pub trait Watch: Send + Sync + 'static {
    fn allocates(&self) {}
    fn allocates_near(&self) {}
    fn frees(&self) {}
}

/// A pool whose calls a test watches. The watch is dropped before the pool.
#[derive(Debug)]
pub struct Watched<W> {
    pub watch: W,
    pub pool: PoolAllocator,
}

impl<W: Watch> Watched<W> {
    #[track_caller]
    pub fn new(current: &Current<impl Brand>, bytes: usize, watch: W) -> Self {
        Self { watch, pool: PoolAllocator::new(current, bytes).unwrap() }
    }
}

// SAFETY: the pool keeps the promises of the trait, and all memory belongs to the pool.
unsafe impl<W: Watch> DeviceAllocator for Watched<W> {
    type Block = PoolBlock;

    fn allocate(&self, bytes: usize) -> Option<PoolBlock> {
        self.watch.allocates();
        self.pool.allocate(bytes)
    }

    fn address(&self, block: &PoolBlock) -> DeviceAddress {
        self.pool.address(block)
    }

    fn free(&self, block: PoolBlock) {
        self.watch.frees();
        self.pool.free(block);
    }

    fn allocate_near(&self, bytes: usize, _: DeviceAddress) -> Option<PoolBlock> {
        self.watch.allocates_near();
        self.pool.allocate(bytes)
    }

    fn serves(&self, context: ContextId) -> bool {
        self.pool.serves(context)
    }
}
