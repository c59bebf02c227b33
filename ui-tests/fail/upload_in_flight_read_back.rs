// COPY-04: a buffer that is being written is read when the stream was synchronised.
use ascendcl::{DeviceBuffer, Error, HostBuffer, Runtime, Stream};

ascendcl::names!(Vision);

pub fn there_and_back(
    runtime: &Runtime<Vision>,
    stream: &Stream<Vision>,
    image: HostBuffer<Vision, f32>,
    device: DeviceBuffer<Vision, f32>,
) -> Result<Vec<f32>, Error> {
    runtime.with(|current| {
        let (_image, device) = stream.copy_to_device(current, image, device)?.split();
        device.to_vec(current)
    })?
}

fn main() {}
