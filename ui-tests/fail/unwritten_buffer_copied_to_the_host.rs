// MEM-07: new device memory holds anything; it is written before it is read.
use ascendcl::{Brand, Current, Error, HostBuffer, Stream};

pub fn read<C: Brand>(current: &Current<C>, stream: &Stream<C>, host: HostBuffer<C, f32>) -> Result<(), Error> {
    let buffer = current.device_buffer::<f32>(host.len())?;
    stream.copy_to_host(current, buffer, host)?.wait(current)?;
    Ok(())
}

fn main() {}
