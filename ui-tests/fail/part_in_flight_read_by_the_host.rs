// COPY-03: a buffer that was split off from work in flight is in flight all the same.
use ascendcl::{Current, DeviceBuffer, Error, HostBuffer, Stream};

fn first<'c>(
    current: &Current<'c>,
    stream: &Stream<'c>,
    device: DeviceBuffer<'c, f32>,
    host: HostBuffer<'c, f32>,
) -> Result<f32, Error> {
    let (_device, host) = stream.copy_to_host(current, device, host)?.split();
    let first = host[0];
    Ok(first)
}

fn main() {}
