// MEM-07: new device memory holds anything; it is written before it is read.
use ascendcl::{Current, Error, HostBuffer, Stream};

pub fn read<'c>(current: &Current<'c>, stream: &Stream<'c>, host: HostBuffer<'c, f32>) -> Result<(), Error> {
    let buffer = current.device_buffer::<f32>(host.len())?.zero(current)?;
    stream.copy_to_host(current, buffer, host)?.wait(current)?;
    Ok(())
}

fn main() {}
