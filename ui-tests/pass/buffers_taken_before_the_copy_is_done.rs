// COPY-03, COPY-07: the buffers of a queued copy come back when the stream was synchronised.
use ascendcl::{Current, DeviceBuffer, Error, HostBuffer, Stream};

pub fn upload<'c>(
    current: &Current<'c>,
    stream: &Stream<'c>,
    image: HostBuffer<'c, f32>,
    device: DeviceBuffer<'c, f32>,
) -> Result<Vec<f32>, Error> {
    let copy = stream.copy_to_device(current, image, device)?;
    let (_, device) = copy.wait(current)?;
    device.to_vec(current)
}

fn main() {}
