// OP-01: operators run on explicit streams.
use ascendcl::{Current, DeviceTensor, Error, operator};

pub fn rectify<'c>(current: &Current<'c>, x: DeviceTensor<'c, f32>) -> Result<(), Error> {
    let stream = current.default_stream();
    let _ = stream.launch(current, operator::relu(current, x)?);
    Ok(())
}

fn main() {}
