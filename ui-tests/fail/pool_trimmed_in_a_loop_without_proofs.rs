// ALLOC-11: a pool is trimmed when its stream is known to be idle, in each turn of a loop.
use ascendcl::{Brand, Current, Error, Stream, allocator::PoolAllocator, stream::CustomAllocator};

pub fn trim<C: Brand>(
    current: &Current<C>,
    streams: &mut [Stream<C, CustomAllocator<PoolAllocator>>],
) -> Result<(), Error> {
    for stream in streams {
        stream.with_allocator(|pool| pool.trim(current));
    }
    Ok(())
}

fn main() {}
