// MEM-12: being the input of an operator gives nobody a second hold on its memory.
use ascendcl::{Brand, Current, Error, operator::DeviceTensor};

fn keeps<E>(tensor: &DeviceTensor<impl Brand, E>) -> usize {
    tensor.shape().len()
}

fn count<C: Brand>(_current: &Current<C>, tensor: DeviceTensor<C, f32>) -> Result<usize, Error> {
    Ok(keeps(&tensor))
}

fn main() {}
