// COPY-03: an element of a queued copy is read when the stream was synchronised.
use ascendcl::{Brand, Current, DeviceBuffer, Error, HostBuffer, Stream};

pub fn first<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C>,
    device: DeviceBuffer<C, f32>,
    host: HostBuffer<C, f32>,
) -> Result<f32, Error> {
    let (_device, host) = stream.copy_to_host(current, device, host)?.split();
    let first = host[0];
    Ok(first)
}

fn main() {}
