// ALLOC-12: an allocator's memory is released when it is registered no longer.
use ascendcl::{Brand, Current, Error, allocator::PoolAllocator};

pub fn release(current: &Current<impl Brand>, pool: PoolAllocator) -> Result<(), Error> {
    let stream = current.stream()?.register(current, pool)?;
    let (stream, pool) = stream.unregister(current)?;
    pool.release(current)?;
    Ok(stream.destroy(current)?)
}

fn main() {}
