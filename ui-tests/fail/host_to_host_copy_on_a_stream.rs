// COPY-06: a stream copies to or from the device.
use ascendcl::{Current, DeviceBuffer, Error, HostBuffer, Stream};

pub fn copy<'c>(
    current: &Current<'c>,
    stream: &Stream<'c>,
    from: HostBuffer<'c, f32>,
    host: HostBuffer<'c, f32>,
    device: DeviceBuffer<'c, f32>,
) -> Result<(), Error> {
    let _ = (&host, &device);
    stream.copy_to_device(current, from, host)?.wait(current)?;
    Ok(())
}

fn main() {}
