// MEM-01: memory is freed once, not in each turn of a loop.
use ascendcl::{Brand, Current, DeviceBuffer, Error};

pub fn images<C: Brand>(current: &Current<C>, mut buffer: DeviceBuffer<C, f32>, images: &[Vec<f32>]) -> Result<(), Error> {
    for image in images {
        buffer.copy_from(current, image)?;
        }
    buffer.free(current)?;
    Ok(())
}

fn main() {}
