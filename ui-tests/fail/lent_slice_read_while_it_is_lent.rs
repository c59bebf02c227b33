// COPY-03: a slice that was lent to a copy is read when the lending is over.
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream};

fn first<C: Brand>(current: &mut Current<C>, stream: &Stream<C>, buffer: DeviceBuffer<C, f32>) -> Result<f32, Error> {
    let mut copy = vec![0.0; buffer.len()];
    let first = current.copy_scope(|current, copies| {
        let _pending = copies.copy_to_host(current, stream, buffer, &mut copy)?;
        Ok::<_, Error>(copy[0])
    })??;
    Ok(first)
}

fn main() {}
