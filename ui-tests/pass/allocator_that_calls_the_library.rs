// ALLOC-18: an allocator does not call the library, so it cannot have what that takes.
use ascendcl::{DeviceAllocator, context::ContextId, memory::DeviceAddress};

pub struct Pool {
    pub bytes: usize,
}

// SAFETY: it hands out no memory.
unsafe impl DeviceAllocator for Pool {
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

fn main() {}
