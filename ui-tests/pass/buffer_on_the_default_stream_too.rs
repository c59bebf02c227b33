// STREAM-12: the default stream does not come after the others by itself.
use ascendcl::{Current, DeviceBuffer, Error, HostBuffer, Stream};

pub fn through<'c>(
    current: &Current<'c>,
    stream: &Stream<'c>,
    host: HostBuffer<'c, f32>,
    device: DeviceBuffer<'c, f32>,
    mut into: HostBuffer<'c, f32>,
) -> Result<(), Error> {
    let upload = stream.copy_to_device(current, host, device)?;
    let (_, device) = upload.wait(current)?;
    (_, into) = current.default_stream().copy_to_host(current, device, into)?.wait(current)?;
    into.free(current)?;
    Ok(())
}

fn main() {}
