// COPY-04: the buffers of a queued copy stay untouched until the stream was synchronised.
use ascendcl::{Brand, Current, DeviceBuffer, Error, HostBuffer, Stream};

pub fn upload<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C>,
    mut image: HostBuffer<C, f32>,
    device: DeviceBuffer<C, f32>,
) -> Result<(), Error> {
    let pixels = image.slice_mut(current)?;
    pixels.fill(1.0);
    let copy = stream.copy_to_device(current, image, device)?;
    copy.wait(current)?;
    Ok(())
}

fn main() {}
