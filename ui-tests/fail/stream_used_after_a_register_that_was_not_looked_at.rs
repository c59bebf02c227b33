// ALLOC-04: registering returns the stream in another state.
use ascendcl::{Brand, Current, Error, Stream, allocator::PoolAllocator};

pub fn serve<C: Brand>(current: &Current<C>, stream: Stream<C>) -> Result<(), Error> {
    let pool = PoolAllocator::new(current, 1 << 20)?;
    stream.register(current, pool)?;
    stream.synchronize(current)
}

fn main() {}
