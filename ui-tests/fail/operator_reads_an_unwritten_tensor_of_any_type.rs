// MEM-07: a tensor is written before an operator reads it, also if its type is known at run time only.
use ascendcl::operator::Operator;
use ascendcl::{Brand, Current, ElementType, Error, Stream, stream::DefaultAllocator};

pub fn rectify<C: Brand>(current: &Current<C>, stream: &Stream<C, DefaultAllocator>) -> Result<(), Error> {
    let element = ElementType::U8;
    let x = current.any_tensor(&[2], element)?;
    let y = current.any_tensor(&[2], element)?;
    let relu = Operator::new("Relu").bind(current, x, y)?;
    stream.launch(current, relu)?.wait(current)?;
    Ok(())
}

fn main() {}
