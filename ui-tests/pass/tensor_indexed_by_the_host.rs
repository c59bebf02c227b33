// MEM-10: elements of a tensor are in the device's memory.
use ascendcl::{Brand, Current, Error, operator::DeviceTensor};

pub fn first<C: Brand>(current: &Current<C>, tensor: &DeviceTensor<C, f32>) -> Result<f32, Error> {
    current.synchronize()?;
    Ok(tensor.to_vec(current)?[0])
}

fn main() {}
