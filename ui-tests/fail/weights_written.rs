// MODEL-09: weights that loads share are only read.
use ascendcl::{Current, DeviceBuffer, Error, Plain, Stream, Weights};

fn clear<'c>(
    current: &Current<'c>,
    stream: &Stream<'c, Plain>,
    buffer: DeviceBuffer<'c, f32>,
    weights: Weights<'c>,
) -> Result<(), Error> {
    let _ = (&buffer, &weights);
    let cleared = stream.set_bytes(current, weights, 0)?;
    let _: DeviceBuffer<'c, f32> = cleared.wait(current)?;
    Ok(())
}

fn main() {}
