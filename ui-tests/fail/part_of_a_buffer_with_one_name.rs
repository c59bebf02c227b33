// MEM-01: parts of memory are names of shared memory.
use ascendcl::{Brand, Current, DeviceBuffer, Error};

pub fn halves<C: Brand>(
    current: &Current<C>,
    buffer: DeviceBuffer<C, f32>,
) -> Result<(Vec<f32>, Vec<f32>), Error> {
    let length = buffer.len();
    let buffer = buffer;
    let (first, second) = (buffer.slice(..length / 2)?, buffer.slice(length / 2..)?);
    Ok((first.to_vec(current)?, second.to_vec(current)?))
}

fn main() {}
