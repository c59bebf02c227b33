// ALLOC-07: an allocator tells the address of its blocks.
use ascendcl::{DeviceAllocator, context::ContextId, memory::DeviceAddress};

pub struct Pool;

// SAFETY: it has no memory.
unsafe impl DeviceAllocator for Pool {
    type Block = DeviceAddress;
    fn allocate(&self, _: usize) -> Option<DeviceAddress> {
        None
    }
    fn free(&self, _: DeviceAddress) {}

    fn serves(&self, _: ContextId) -> bool {
        true
    }
}

fn main() {}
