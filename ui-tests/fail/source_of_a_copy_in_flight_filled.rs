// COPY-04: the next image is written when the copy of the last one is done.
use ascendcl::{Current, DeviceBuffer, Error, HostBuffer, InScope, Stream};

pub fn next<C: InScope>(
    current: &Current<C>,
    stream: &Stream<C>,
    image: HostBuffer<C, f32>,
    device: DeviceBuffer<C, f32>,
) -> Result<(), Error> {
    let (image, _device) = stream.copy_to_device(current, image, device)?.split();
    let mut image = image;
    image.fill(0.0);
    Ok(())
}

fn main() {}
