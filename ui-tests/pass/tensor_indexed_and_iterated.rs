// MEM-10: the host does not reach device memory: it copies the elements.
use ascendcl::operator::DeviceTensor;
use ascendcl::{Brand, Current, Error};

pub fn sum<C: Brand>(current: &Current<C>, tensor: &DeviceTensor<C, f32>) -> Result<f32, Error> {
    let _ = current;
    Ok(tensor.to_vec(current)?.iter().sum())
}

fn main() {}
