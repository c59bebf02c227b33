// ALLOC-20: what was not registered is not unregistered; the library would not notice.
use ascendcl::{Current, DeviceAllocator, Error, Stream};

pub fn end<'c, A: DeviceAllocator>(current: &Current<'c>, stream: Stream<'c>, pool: A) -> Result<(), Error> {
    let stream = stream.register(current, pool)?;
    let (stream, _) = stream.unregister(current)?;
    Ok(stream.destroy(current)?)
}

fn main() {}
