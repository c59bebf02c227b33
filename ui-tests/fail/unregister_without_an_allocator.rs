// ALLOC-20: what was not registered is not unregistered; the library would not notice.
use ascendcl::{Brand, Current, DeviceAllocator, Error, Stream};

pub fn end<C: Brand, A: DeviceAllocator>(current: &Current<C>, stream: Stream<C>, pool: A) -> Result<(), Error> {
    let _ = &pool;
    let stream = stream.without_allocator();
    let (stream, _) = stream.unregister(current)?;
    Ok(stream.destroy(current)?)
}

fn main() {}
