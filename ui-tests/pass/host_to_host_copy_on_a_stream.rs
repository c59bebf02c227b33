// COPY-06: a stream copies to or from the device.
use ascendcl::{Brand, Current, DeviceBuffer, Error, HostBuffer, Stream};

pub fn copy<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C>,
    from: HostBuffer<C, f32>,
    host: HostBuffer<C, f32>,
    device: DeviceBuffer<C, f32>,
) -> Result<(), Error> {
    let _ = (&host, &device);
    stream.copy_to_device(current, from, device)?.wait(current)?;
    Ok(())
}

fn main() {}
