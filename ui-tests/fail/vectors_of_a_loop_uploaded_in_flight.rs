// COPY-05: a loop that queues copies copies from pinned memory.
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream};

pub fn upload<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C>,
    images: Vec<(Vec<f32>, DeviceBuffer<C, f32>)>,
) -> Result<(), Error> {
    for (image, device) in images {
        stream.copy_to_device(current, image, device)?.wait(current)?;
    }
    Ok(())
}

fn main() {}
