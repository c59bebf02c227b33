// ALLOC-18: an allocator does not call the library, so it cannot have what that takes.
use ascendcl::{Current, DeviceAllocator, Scoped, context::ContextId, memory::DeviceAddress};

pub struct Pool<'c> {
    pub current: &'c Current<Scoped<'c>>,
}

// SAFETY: it hands out no memory.
unsafe impl<'c> DeviceAllocator for Pool<'c> {
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
