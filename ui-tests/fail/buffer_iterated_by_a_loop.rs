// MEM-10: the host does not reach device memory: it copies the elements.
use ascendcl::{Brand, Current, DeviceBuffer, Error};

pub fn sum<C: Brand>(current: &Current<C>, buffer: &DeviceBuffer<C, f32>) -> Result<f32, Error> {
    let mut sum = 0.0;
    for number in buffer {
        sum += number;
    }
    let _ = current;
    Ok(sum)
}

fn main() {}
