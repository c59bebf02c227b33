// MODEL-09: weights that loads share are only read.
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream, stream::DefaultAllocator, model::Weights};

fn clear<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C, DefaultAllocator>,
    buffer: DeviceBuffer<C, f32>,
    weights: Weights<C>,
) -> Result<(), Error> {
    let _ = (&buffer, &weights);
    let cleared = stream.set_bytes(current, weights, 0)?;
    let _: DeviceBuffer<C, f32> = cleared.wait(current)?;
    Ok(())
}

fn main() {}
