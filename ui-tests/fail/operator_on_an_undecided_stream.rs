// ALLOC-04: an allocator is decided before the first operator.
use ascendcl::{Current, DeviceTensor, Error, operator};

pub fn rectify<'c>(current: &Current<'c>, x: DeviceTensor<'c, f32>) -> Result<(), Error> {
    let stream = current.stream()?;
    stream.launch(current, operator::relu(current, x)?)?.wait(current)?;
    Ok(())
}

fn main() {}
