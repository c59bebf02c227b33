// COPY-02: what is copied from the host is memory of the host.
use ascendcl::{Brand, Current, DeviceBuffer, Error};

pub fn copy<C: Brand>(
    current: &Current<C>,
    mut to: DeviceBuffer<C, f32>,
    from: DeviceBuffer<C, f32>,
) -> Result<DeviceBuffer<C, f32>, Error> {
    let mut stream = current.stream()?.without_allocator();
    let _ = &mut stream;
    let (_from, to) = stream.copy_on_device(current, from, to)?.wait(current)?;
    Ok(to)
}

fn main() {}
