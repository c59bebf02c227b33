// ALLOC-13: what runs on a stream uses the allocator that is registered on that stream.
use ascendcl::{Brand, Current, DeviceAllocator, Error, BoundModel};

pub fn classify<C: Brand, A: DeviceAllocator>(current: &Current<C>, pool: A, model: BoundModel<C>) -> Result<(), Error> {
    let registered = current.stream()?.register(current, pool)?;
    let other = current.stream()?;
    other.execute(current, model)?.wait(current)?;
    Ok(registered.destroy(current)?)
}

fn main() {}
