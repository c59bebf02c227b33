// ALLOC-04, ALLOC-15: an allocator is registered before the first work that needs memory; later it would be ignored.
use ascendcl::{Brand, Current, DeviceAllocator, Error, Stream};

pub fn register<C: Brand, A: DeviceAllocator>(current: &Current<C>, stream: Stream<C>, pool: A) -> Result<(), Error> {
    let stream = stream.without_allocator();
    let stream = stream.register(current, pool)?;
    Ok(stream.destroy(current)?)
}

fn main() {}
