// ALLOC-20: an allocator is replaced where one was registered.
use ascendcl::{Brand, Current, Error, Stream, stream::Undecided, allocator::PoolAllocator};

pub fn exchange<C: Brand>(
    current: &Current<C>,
    stream: Stream<C, Undecided>,
    pools: [PoolAllocator; 2],
) -> Result<(), Error> {
    let [pool, other] = pools;
    let stream = stream.register(current, pool)?;
    let (stream, before) = stream.replace(current, other)?;
    drop::<(_, PoolAllocator)>((stream, before));
    Ok(())
}

fn main() {}
