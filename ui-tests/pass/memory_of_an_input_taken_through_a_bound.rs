// MEM-12: being the input of an operator gives nobody a second hold on its memory.
use ascendcl::{Current, DeviceTensor, Error};

fn keeps<E>(tensor: &DeviceTensor<'_, E>) -> usize {
    tensor.shape().len()
}

fn count<'c>(_current: &Current<'c>, tensor: DeviceTensor<'c, f32>) -> Result<usize, Error> {
    Ok(keeps(&tensor))
}

fn main() {}
