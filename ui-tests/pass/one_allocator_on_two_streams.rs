// ALLOC-10: an allocator serves one stream.
use ascendcl::{Brand, Current, DeviceAllocator, Error};

pub fn register<A: DeviceAllocator>(current: &Current<impl Brand>, pool: A, other: A) -> Result<(), Error> {
    let one = current.stream()?.register(current, pool)?;
    let two = current.stream()?.register(current, other)?;
    drop((one, two));
    Ok(())
}

fn main() {}
