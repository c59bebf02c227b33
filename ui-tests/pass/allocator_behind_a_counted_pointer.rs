// ALLOC-10: a stream takes its allocator itself, and no counted pointer to it.
use ascendcl::{Brand, Current, DeviceAllocator, Error, Stream};

pub fn register<C: Brand, A: DeviceAllocator>(current: &Current<C>, stream: Stream<C>, pool: A) -> Result<(), Error> {
    drop(stream.register(current, pool)?);
    Ok(())
}

fn main() {}
