// ALLOC-13: what runs on a stream uses the allocator that is registered on that stream.
use ascendcl::{Current, DeviceAllocator, Error, Prepared};

pub fn classify<'c, A: DeviceAllocator>(current: &Current<'c>, pool: A, model: Prepared<'c>) -> Result<(), Error> {
    let registered = current.stream()?.register(current, pool)?;
    let other = current.stream()?;
    registered.execute(current, model)?.wait(current)?;
    other.destroy(current)?;
    Ok(registered.destroy(current)?)
}

fn main() {}
