// OP-03: an operator's outputs are read after a synchronise only.
use ascendcl::{Current, DeviceTensor, Error, Plain, Stream, operator};

pub fn sum<'c>(
    current: &Current<'c>,
    stream: &Stream<'c, Plain>,
    (x, y): (DeviceTensor<'c, f32>, DeviceTensor<'c, f32>),
) -> Result<Vec<f32>, Error> {
    let running = stream.launch(current, operator::add(current, x, y)?)?;
    let (_inputs, sum) = running.into_tensors(current)?;
    sum.to_vec(current)
}

fn main() {}
