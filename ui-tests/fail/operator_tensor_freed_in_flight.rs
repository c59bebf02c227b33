// OP-03: an operator's tensors are its own until it is waited for.
use ascendcl::{Brand, Current, DeviceTensor, Error, Plain, Stream, operator};

pub fn rectify<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C, Plain>,
    x: DeviceTensor<C, f32>,
) -> Result<(), Error> {
    let running = stream.launch(current, operator::relu(current, x)?)?;
    x.into_buffer().free(current)?;
    drop(running);
    Ok(())
}

fn main() {}
