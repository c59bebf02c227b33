// MEM-07: being the output of an operator opens no way past the operator.
use ascendcl::{Brand, Current, Error, operator::DeviceTensor};
use core::mem::MaybeUninit;

fn zeroed<C: Brand>(
    current: &Current<C>,
    tensor: DeviceTensor<C, MaybeUninit<f32>>,
) -> Result<DeviceTensor<C, f32>, Error> {
    let shape = tensor.shape().to_vec();
    Ok(tensor.into_buffer().zero(current)?.into_tensor(&shape)?)
}

fn read<C: Brand>(current: &Current<C>, tensor: DeviceTensor<C, MaybeUninit<f32>>) -> Result<Vec<f32>, Error> {
    zeroed(current, tensor)?.to_vec(current)
}

fn main() {}
