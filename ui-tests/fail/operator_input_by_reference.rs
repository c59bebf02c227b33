// OP-03: an operator has its tensors until it was waited for.
use ascendcl::operator::{self, DeviceTensor};
use ascendcl::{Brand, Current, Error, Stream, stream::DefaultAllocator};

pub fn sum<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C, DefaultAllocator>,
    x: DeviceTensor<C, f32>,
    y: DeviceTensor<C, f32>,
) -> Result<Vec<f32>, Error> {
    let (_terms, sum) = stream.launch(current, operator::add(current, x, &y)?)?.wait(current)?.into_tensors(current)?;
    sum.to_vec(current)
}

fn main() {}
