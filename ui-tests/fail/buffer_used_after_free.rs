// MEM-01: freed memory is not used.
use ascendcl::{Current, DeviceBuffer, Error};

pub fn end<'c>(current: &Current<'c>, buffer: DeviceBuffer<'c, f32>) -> Result<Vec<f32>, Error> {
    buffer.free(current)?;
    let elements = buffer.to_vec(current)?;
    Ok(elements)
}

fn main() {}
