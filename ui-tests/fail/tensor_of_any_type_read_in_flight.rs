// OP-03: the device writes the tensor until it was waited for.
use ascendcl::operator::{AnyTensor, Operator};
use ascendcl::{Brand, Current, Error, Stream, stream::DefaultAllocator};

pub fn rectified<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C, DefaultAllocator>,
    x: AnyTensor<C>,
) -> Result<Vec<u8>, Error> {
    let y = current.any_tensor(x.shape(), x.element())?;
    let relu = Operator::new("Relu").bind(current, x, y)?;
    let y = stream.launch(current, relu)?.into_outputs();
    y.to_bytes(current)
}

fn main() {}
