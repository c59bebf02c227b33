// COPY-04: a queued copy takes buffers, which it keeps until the wait.
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream};

pub fn next_batch<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C>,
    batches: impl Iterator<Item = Vec<f32>>,
) -> Result<Vec<DeviceBuffer<C, f32>>, Error> {
    let mut buffers = Vec::new();
    for batch in batches {
        buffers.push(current.upload(&batch)?);
    }
    stream.synchronize(current)?;
    Ok(buffers)
}

fn main() {}
