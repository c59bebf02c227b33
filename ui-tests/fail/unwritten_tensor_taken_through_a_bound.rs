// MEM-07: being the output of an operator opens no way past the operator.
use ascendcl::operator::OperatorOutputs;
use ascendcl::{Current, Error, Scoped, Unnamed, operator::DeviceTensor};
use core::mem::MaybeUninit;

fn unwritten<'c, O: OperatorOutputs<Scoped<'c, Unnamed>>>(outputs: O) -> O::Written {
    outputs.into_written_output()
}

fn read<'c>(
    current: &Current<Scoped<'c>>,
    tensor: DeviceTensor<Scoped<'c>, MaybeUninit<f32>>,
) -> Result<Vec<f32>, Error> {
    unwritten(tensor).to_vec(current)
}

fn main() {}
