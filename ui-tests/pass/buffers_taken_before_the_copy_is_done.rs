// COPY-03, COPY-07: the buffers of a queued copy come back when the stream was synchronised.
use ascendcl::{Brand, Current, DeviceBuffer, Error, HostBuffer, Stream};

pub fn upload<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C>,
    image: HostBuffer<C, f32>,
    device: DeviceBuffer<C, f32>,
) -> Result<Vec<f32>, Error> {
    let copy = stream.copy_to_device(current, image, device)?;
    let (_, device) = copy.wait(current)?;
    device.to_vec(current)
}

fn main() {}
