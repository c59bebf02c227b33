// ALLOC-11: a pool gives memory back to the system when its stream is known to be idle.
use ascendcl::{Brand, Current, Error, Stream, allocator::PoolAllocator, stream::CustomAllocator};

pub fn trim<C: Brand>(current: &Current<C>, stream: &mut Stream<C, CustomAllocator<PoolAllocator>>) -> Result<(), Error> {
    stream.with_allocator(|pool| pool.trim(current));
    Ok(())
}

fn main() {}
