// OP-01: operators run on explicit streams.
use ascendcl::{Current, DeviceTensor, Error, operator};

pub fn rectify<'c>(current: &Current<'c>, x: DeviceTensor<'c, f32>) -> Result<(), Error> {
    let stream = current.stream()?.without_allocator();
    let _ = stream.launch(current, operator::relu(current, x)?);
    Ok(())
}

fn main() {}
