// ALLOC-01: an allocator is registered on an explicit stream, never on the default one.
use ascendcl::{Brand, Current, DeviceAllocator, Error};

fn decide<C: Brand, A: DeviceAllocator>(current: &Current<C>, allocator: A) -> Result<(), Error> {
    let _ = current.stream()?.register(current, allocator);
    Ok(())
}

fn main() {}
