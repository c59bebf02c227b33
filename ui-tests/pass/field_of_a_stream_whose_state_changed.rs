// ALLOC-09: a stream's allocator is decided once, and the type says how.
use ascendcl::{Brand, Current, Error, Stream, allocator::PoolAllocator, stream::CustomAllocator};

pub struct Engine<C: Brand> {
    pub stream: Stream<C, CustomAllocator<PoolAllocator>>,
}

pub fn open<C: Brand>(current: &Current<C>) -> Result<Engine<C>, Error> {
    let pool = PoolAllocator::new(current, 64 << 10)?;
    let stream = current.stream()?.register(current, pool)?;
    Ok(Engine { stream })
}

fn main() {}
