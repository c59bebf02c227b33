// ALLOC-04: an allocator is decided before the first operator.
use ascendcl::{Brand, Current, Error, operator, operator::DeviceTensor};

pub fn rectify<C: Brand>(current: &Current<C>, x: DeviceTensor<C, f32>) -> Result<(), Error> {
    let stream = current.stream()?;
    stream.launch(current, operator::relu(current, x)?)?.wait(current)?;
    Ok(())
}

fn main() {}
