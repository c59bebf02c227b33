// OP-03: an operator's tensors are its own until it is waited for.
use ascendcl::{Brand, Current, Error, Stream, operator, operator::DeviceTensor, stream::DefaultAllocator};

pub fn rectify<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C, DefaultAllocator>,
    x: DeviceTensor<C, f32>,
) -> Result<(), Error> {
    let running = stream.launch(current, operator::relu(current, x)?)?;
    let (x, _y) = running.wait(current)?.into_tensors(current)?;
    x.into_buffer().free(current)?;
    Ok(())
}

fn main() {}
