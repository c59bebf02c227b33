// OP-03: an operator's tensors are its own until it is waited for.
use ascendcl::{Current, DeviceTensor, Error, Plain, Stream, operator};

pub fn rectify<'c>(current: &Current<'c>, stream: &Stream<'c, Plain>, x: DeviceTensor<'c, f32>) -> Result<(), Error> {
    let running = stream.launch(current, operator::relu(current, x)?)?;
    x.into_buffer().free(current)?;
    drop(running);
    Ok(())
}

fn main() {}
