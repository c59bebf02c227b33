// ALLOC-04: each stream of a loop decides on its allocator before its first operator.
use ascendcl::{Brand, Current, Error, operator, operator::DeviceTensor};

pub fn rectify<C: Brand>(current: &Current<C>, tensors: Vec<DeviceTensor<C, f32>>) -> Result<(), Error> {
    for x in tensors {
        let stream = current.stream()?;
        stream.launch(current, operator::relu(current, x)?)?.wait(current)?;
    }
    Ok(())
}

fn main() {}
