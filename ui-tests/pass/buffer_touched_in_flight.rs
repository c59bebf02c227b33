// COPY-04: the buffers of a queued copy stay untouched until the stream was synchronised.
use ascendcl::{Brand, Current, DeviceBuffer, Error, HostBuffer, Stream};

fn refill<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C>,
    mut image: HostBuffer<C, f32>,
    device: DeviceBuffer<C, f32>,
) -> Result<(), Error> {
    let copy = stream.copy_to_device(current, image, device)?;
    (image, _) = copy.wait(current)?;
    image.slice_mut(current)?[0] = 1.0;
    Ok(())
}

fn main() {}
