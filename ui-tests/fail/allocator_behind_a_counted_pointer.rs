// ALLOC-10: a stream takes its allocator itself, and no counted pointer to it.
use ascendcl::{Brand, Current, Error, Stream, allocator::PoolAllocator};
use std::rc::Rc;

pub fn register<C: Brand>(current: &Current<C>, stream: Stream<C>, pool: Rc<PoolAllocator>) -> Result<(), Error> {
    drop(stream.register(current, pool)?);
    Ok(())
}

fn main() {}
