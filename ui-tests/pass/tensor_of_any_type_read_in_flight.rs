// OP-03: the operator has its tensors until it was waited for.
use ascendcl::operator::{AnyTensor, Operator};
use ascendcl::{Brand, Current, Error, Stream, stream::DefaultAllocator};

pub fn twice<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C, DefaultAllocator>,
    x: AnyTensor<C>,
) -> Result<Vec<u8>, Error> {
    let y = current.any_tensor(x.shape(), x.element())?;
    let relu = Operator::new("Relu").bind(current, x, y)?;
    let work = stream.launch(current, relu)?;
    let (x, _y) = work.wait(current)?.into_tensors(current)?;
    let bytes = x.to_bytes(current)?;
    Ok(bytes)
}

fn main() {}
