// OP-03: an operator's outputs are read after a synchronise only.
use ascendcl::{Brand, Current, Error, Stream, operator, operator::DeviceTensor, stream::DefaultAllocator};

pub fn sum<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C, DefaultAllocator>,
    (x, y): (DeviceTensor<C, f32>, DeviceTensor<C, f32>),
) -> Result<Vec<f32>, Error> {
    let running = stream.launch(current, operator::add(current, x, y)?)?;
    let (_inputs, sum) = running.into_tensors(current)?;
    sum.to_vec(current)
}

fn main() {}
