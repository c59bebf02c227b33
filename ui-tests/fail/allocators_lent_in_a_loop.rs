// ALLOC-10: a stream takes its allocator by value and keeps it, in a loop too.
use ascendcl::{Brand, Current, Error, allocator::PoolAllocator};

pub fn streams<C: Brand>(current: &Current<C>, pools: &mut [PoolAllocator]) -> Result<(), Error> {
    for pool in pools {
        drop(current.stream()?.register(current, pool)?);
    }
    Ok(())
}

fn main() {}
