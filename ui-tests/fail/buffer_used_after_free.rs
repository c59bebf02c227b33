// MEM-01: freed memory is not used.
use ascendcl::{Brand, Current, DeviceBuffer, Error};

pub fn end<C: Brand>(current: &Current<C>, buffer: DeviceBuffer<C, f32>) -> Result<Vec<f32>, Error> {
    buffer.free(current)?;
    let elements = buffer.to_vec(current)?;
    Ok(elements)
}

fn main() {}
