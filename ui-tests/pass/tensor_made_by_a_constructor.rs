// MEM-06: a tensor is made in a context that is current.
use ascendcl::operator::DeviceTensor;
use ascendcl::{Brand, Current, Error};

pub fn ones<C: Brand>(current: &Current<C>) -> Result<DeviceTensor<C, f32>, Error> {
    let _ = current;
    current.upload_tensor(&[2, 3], &[1.0; 6])
}

fn main() {}
