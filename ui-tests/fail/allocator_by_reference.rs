// ALLOC-10: a stream takes its allocator by value and keeps it.
use ascendcl::{Brand, Current, DeviceAllocator, Error};

pub fn register<A: DeviceAllocator>(current: &Current<impl Brand>, pool: A) -> Result<(), Error> {
    let stream = current.stream()?.register(current, &pool)?;
    drop(stream);
    Ok(())
}

fn main() {}
