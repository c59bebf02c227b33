// ALLOC-10: an allocator serves one stream: two streams do not share a pointer to it.
use ascendcl::{Brand, Current, Error, allocator::PoolAllocator};
use std::sync::Arc;

pub fn register<C: Brand>(current: &Current<C>, pools: (PoolAllocator, PoolAllocator)) -> Result<(), Error> {
    let pools = (Arc::new(pools.0), pools.1);
    let (first, second) = (Arc::into_inner(pools.0).ok_or(Error::NotExecuted)?, pools.1);
    let one = current.stream()?.register(current, first)?;
    let two = current.stream()?.register(current, second)?;
    drop((one, two));
    Ok(())
}

fn main() {}
