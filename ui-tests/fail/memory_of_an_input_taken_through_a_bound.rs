// MEM-12: being the input of an operator gives nobody a second hold on its memory.
use ascendcl::operator::OperatorInputs;
use ascendcl::{Current, Error, Scoped, Unnamed, operator::DeviceTensor};

fn keeps<'c, I: OperatorInputs<Scoped<'c, Unnamed>>>(inputs: &I) -> usize {
    inputs.tensor_arguments().len()
}

fn count<'c>(_current: &Current<Scoped<'c>>, tensor: DeviceTensor<Scoped<'c>, f32>) -> Result<usize, Error> {
    Ok(keeps(&tensor))
}

fn main() {}
