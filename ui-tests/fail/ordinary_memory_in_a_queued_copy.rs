// COPY-05: a vector is not copied while the program goes on, unless it is asked for by name.
use ascendcl::{Current, DeviceBuffer, Error, HostBuffer, Stream};

pub fn upload<'c>(
    current: &Current<'c>,
    stream: &Stream<'c>,
    ordinary: Vec<f32>,
    pinned: HostBuffer<'c, f32>,
    device: DeviceBuffer<'c, f32>,
) -> Result<(), Error> {
    let _ = (&ordinary, &pinned);
    stream.copy_to_device(current, ordinary, device)?.wait(current)?;
    Ok(())
}

fn main() {}
