// ALLOC-13: work that is to use an allocator runs on the stream that the allocator is registered on.
use ascendcl::{Brand, Current, DeviceAllocator, Error, BoundModel};

pub fn classify<C: Brand>(current: &Current<C>, pool: impl DeviceAllocator, model: BoundModel<C>) -> Result<(), Error> {
    let (stream, other) = (current.stream()?.register(current, pool)?, current.stream()?);
    let _ = (&stream, &other);
    other.execute(current, model)?.wait(current)?;
    Ok(())
}

fn main() {}
