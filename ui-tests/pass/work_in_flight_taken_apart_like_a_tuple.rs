// COPY-03: the device may still write what a copy gives back; a wait comes before it is taken apart.
use ascendcl::{Brand, Current, Error, HostBuffer, Stream};

pub fn round_trip<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C>,
    pixels: HostBuffer<C, f32>,
) -> Result<Vec<f32>, Error> {
    let room = current.device_buffer(pixels.len())?;
    let (_pixels, device) = stream.copy_to_device(current, pixels, room)?.wait(current)?;
    device.to_vec(current)
}

fn main() {}
