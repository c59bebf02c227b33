// ALLOC-09: the allocator of a stream is replaced, which gives the old one back; it is not registered over.
use ascendcl::{Brand, Current, DeviceAllocator, Error, Stream};

pub fn register<C: Brand, A: DeviceAllocator>(
    current: &Current<C>,
    stream: Stream<C>,
    one: A,
    two: A,
) -> Result<(), Error> {
    let stream = stream.register(current, one)?;
    let stream = stream.register(current, two)?;
    Ok(stream.destroy(current)?)
}

fn main() {}
