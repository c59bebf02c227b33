// COPY-05: a vector is not copied while the program goes on, unless it is asked for by name.
use ascendcl::{Brand, Current, DeviceBuffer, Error, HostBuffer, Stream};

pub fn upload<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C>,
    ordinary: Vec<f32>,
    pinned: HostBuffer<C, f32>,
    device: DeviceBuffer<C, f32>,
) -> Result<(), Error> {
    let _ = (&ordinary, &pinned);
    stream.copy_to_device(current, ordinary, device)?.wait(current)?;
    Ok(())
}

fn main() {}
