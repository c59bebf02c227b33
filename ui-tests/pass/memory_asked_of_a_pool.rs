// ALLOC-03: a pool gives memory to the library, not to the program.
use ascendcl::allocator::PoolAllocator;
use ascendcl::{Brand, Current, DeviceBuffer, Error};
use std::mem::MaybeUninit;

type Room<C> = DeviceBuffer<C, MaybeUninit<f32>>;

pub fn room<C: Brand>(current: &Current<C>, pool: &PoolAllocator) -> Result<Room<C>, Error> {
    let _ = pool;
    current.device_buffer(64)
}

fn main() {}
