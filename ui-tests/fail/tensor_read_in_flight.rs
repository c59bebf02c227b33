// OP-03: a tensor is read after a wait, also where the next operator takes it without one.
use ascendcl::{Brand, Current, Error, Stream, operator, operator::DeviceTensor, stream::DefaultAllocator};

pub fn positive<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C, DefaultAllocator>,
    x: DeviceTensor<C, f32>,
) -> Result<Vec<f32>, Error> {
    let y = stream.launch(current, operator::relu(current, x)?)?.into_outputs();
    y.to_vec(current)
}

fn main() {}
