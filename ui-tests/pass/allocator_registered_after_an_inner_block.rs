// ALLOC-15: what ran in an inner block counts: a registration after it would be ignored.
use ascendcl::{BoundModel, Brand, Current, DeviceAllocator, Error, Stream};

pub fn start<C: Brand, A: DeviceAllocator>(
    current: &Current<C>,
    stream: Stream<C>,
    model: BoundModel<C>,
    pool: A,
) -> Result<(), Error> {
    let stream = stream.register(current, pool)?;
    {
        stream.execute(current, model)?.wait(current)?;
    }
    Ok(stream.destroy(current)?)
}

fn main() {}
