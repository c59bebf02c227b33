// OP-02: the new type of a cast is the first of its types; the others follow from the arguments.
use ascendcl::operator::{self, DeviceTensor};
use ascendcl::{Brand, Current, Error, F16, Stream, stream::DefaultAllocator};

pub fn halved<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C, DefaultAllocator>,
    x: DeviceTensor<C, f32>,
) -> Result<DeviceTensor<C, F16>, Error> {
    let cast = operator::cast::<F16, _, _>(current, x)?;
    let (_x, y) = stream.launch(current, cast)?.wait(current)?.into_tensors(current)?;
    Ok(y)
}

fn main() {}
