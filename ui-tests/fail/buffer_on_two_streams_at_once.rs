// STREAM-04: two streams work on one buffer when the first was waited for, or the second waits.
use ascendcl::{Current, DeviceBuffer, Error, HostBuffer, Stream};

pub fn through<'c>(
    current: &Current<'c>,
    streams: (&Stream<'c>, &Stream<'c>),
    host: HostBuffer<'c, f32>,
    device: DeviceBuffer<'c, f32>,
) -> Result<(), Error> {
    let upload = streams.0.copy_to_device(current, host, device)?;
    let (host, device) = upload;
    streams.1.copy_to_host(current, device, host)?.wait(current)?;
    Ok(())
}

fn main() {}
