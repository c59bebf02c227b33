// COPY-04: the buffers of a queued copy stay untouched until the stream was synchronised.
use ascendcl::{Current, DeviceBuffer, Error, HostBuffer, Stream};

pub fn upload<'c>(
    current: &Current<'c>,
    stream: &Stream<'c>,
    mut image: HostBuffer<'c, f32>,
    device: DeviceBuffer<'c, f32>,
) -> Result<(), Error> {
    let pixels: &mut [f32] = &mut image;
    pixels.fill(1.0);
    let copy = stream.copy_to_device(current, image, device)?;
    copy.wait(current)?;
    Ok(())
}

fn main() {}
