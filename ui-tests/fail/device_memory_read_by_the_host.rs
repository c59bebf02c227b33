// MEM-10: the host cannot look into device memory.
use ascendcl::{Current, DeviceBuffer, Error};

pub fn first<'c>(current: &Current<'c>, buffer: &DeviceBuffer<'c, f32>) -> Result<f32, Error> {
    let _ = current;
    Ok(buffer[0])
}

fn main() {}
