// OP-01: operators run on explicit streams.
use ascendcl::{Brand, Current, Error, operator, operator::DeviceTensor};

pub fn rectify<C: Brand>(current: &Current<C>, x: DeviceTensor<C, f32>) -> Result<(), Error> {
    let stream = current.stream()?.without_allocator();
    let _ = stream.launch(current, operator::relu(current, x)?);
    Ok(())
}

fn main() {}
