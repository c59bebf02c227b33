// OP-03: the outputs of an operator in flight are the inputs of the next one, and the operator itself is none.
use ascendcl::{Brand, Current, Error, Stream, operator, operator::DeviceTensor, stream::DefaultAllocator};

pub fn layer<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C, DefaultAllocator>,
    (x, weights): (DeviceTensor<C, f32>, DeviceTensor<C, f32>),
) -> Result<Vec<f32>, Error> {
    let product = stream.launch(current, operator::mat_mul(current, x, weights)?)?;
    let hidden = stream.launch(current, operator::relu(current, product)?)?;
    hidden.into_outputs().wait(current)?.to_vec(current)
}

fn main() {}
