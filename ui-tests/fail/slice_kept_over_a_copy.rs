// COPY-04: the buffers of a queued copy stay untouched until the stream was synchronised.
use ascendcl::{Current, DeviceBuffer, Error, HostBuffer, Stream};

pub fn upload<'c>(
    current: &Current<'c>,
    stream: &Stream<'c>,
    mut image: HostBuffer<'c, f32>,
    device: DeviceBuffer<'c, f32>,
) -> Result<(), Error> {
    let pixels: &mut [f32] = &mut image;
    let copy = stream.copy_to_device(current, image, device)?;
    pixels.fill(1.0);
    copy.wait(current)?;
    Ok(())
}

fn main() {}
