// MEM-10: the host cannot access device memory.
use ascendcl::{Brand, Current, DeviceBuffer, Error};

pub fn first<C: Brand>(current: &Current<C>, buffer: &DeviceBuffer<C, f32>) -> Result<f32, Error> {
    let _ = current;
    Ok(buffer.to_vec(current)?[0])
}

fn main() {}
