// MEM-01: freed memory is not used.
use ascendcl::{Current, DeviceBuffer, Error};

pub fn end<'c>(current: &Current<'c>, buffer: DeviceBuffer<'c, f32>) -> Result<Vec<f32>, Error> {
    let elements = buffer.to_vec(current)?;
    buffer.free(current)?;
    Ok(elements)
}

fn main() {}
