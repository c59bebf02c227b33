// MEM-07: a tensor is written before an operator reads it.
use ascendcl::operator::Operator;
use ascendcl::{Brand, Current, Error, Stream, stream::DefaultAllocator};

pub fn rectify<C: Brand>(current: &Current<C>, stream: &Stream<C, DefaultAllocator>) -> Result<(), Error> {
    let x = current.tensor::<f32>(&[2])?;
    let relu = Operator::new("Relu").bind(current, x, current.tensor::<f32>(&[2])?)?;
    stream.launch(current, relu)?.wait(current)?;
    Ok(())
}

fn main() {}
