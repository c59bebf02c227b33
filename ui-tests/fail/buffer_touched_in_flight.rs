// COPY-04: the buffers of a queued copy stay untouched until the stream was synchronised.
use ascendcl::{Current, DeviceBuffer, Error, HostBuffer, Stream};

fn refill<'c>(
    current: &Current<'c>,
    stream: &Stream<'c>,
    mut image: HostBuffer<'c, f32>,
    device: DeviceBuffer<'c, f32>,
) -> Result<(), Error> {
    let copy = stream.copy_to_device(current, image, device)?;
    let _still_in_flight = copy;
    image[0] = 1.0;
    Ok(())
}

fn main() {}
