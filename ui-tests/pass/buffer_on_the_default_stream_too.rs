// STREAM-12: the default stream does not come after the others by itself.
use ascendcl::{Brand, Current, DeviceBuffer, Error, HostBuffer, Stream};

pub fn through<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C>,
    host: HostBuffer<C, f32>,
    device: DeviceBuffer<C, f32>,
    mut into: HostBuffer<C, f32>,
) -> Result<(), Error> {
    let upload = stream.copy_to_device(current, host, device)?;
    let (_, device) = upload.wait(current)?;
    (_, into) = current.default_stream().copy_to_host(current, device, into)?.wait(current)?;
    into.free(current)?;
    Ok(())
}

fn main() {}
