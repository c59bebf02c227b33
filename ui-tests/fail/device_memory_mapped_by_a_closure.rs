// MEM-10: the elements of device memory are copied to the host before a closure maps them.
use ascendcl::{Brand, Current, DeviceBuffer, Error};

pub fn doubled<C: Brand>(current: &Current<C>, buffer: &DeviceBuffer<C, f32>) -> Result<Vec<f32>, Error> {
    let _ = current;
    Ok(buffer.iter().map(|element| element * 2.0).collect())
}

fn main() {}
