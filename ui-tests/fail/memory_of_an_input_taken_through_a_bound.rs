// MEM-12: being the input of an operator gives nobody a second hold on its memory.
use ascendcl::operator::OperatorInputs;
use ascendcl::{Current, DeviceTensor, Error, Unnamed};

fn keeps<'c, I: OperatorInputs<'c, Unnamed>>(inputs: &I) -> usize {
    inputs.parts().len()
}

fn count<'c>(_current: &Current<'c>, tensor: DeviceTensor<'c, f32>) -> Result<usize, Error> {
    Ok(keeps(&tensor))
}

fn main() {}
