// ALLOC-01: an allocator is registered on an explicit stream, never on the default one.
use ascendcl::{Current, DeviceAllocator, Error};

fn decide<'c, A: DeviceAllocator>(current: &Current<'c>, allocator: A) -> Result<(), Error> {
    let _ = current.default_stream().register(current, allocator);
    Ok(())
}

fn main() {}
