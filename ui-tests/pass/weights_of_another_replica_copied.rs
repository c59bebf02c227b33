// STREAM-09: a stream copies memory of its own context.
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream};

pub struct Replica<C: Brand> {
    pub stream: Stream<C>,
    pub weights: DeviceBuffer<C, f32>,
}

pub fn sync_weights<A: Brand>(
    current: &Current<A>,
    first: Replica<A>,
    second: Replica<A>,
) -> Result<(), Error> {
    let Replica { stream, weights } = first;
    stream.copy_on_device(current, second.weights, weights)?.wait(current)?;
    Ok(())
}

fn main() {}
