// OP-02: the tensors of an operator agree in what they are made of.
use ascendcl::{Brand, Current, Error, Stream, operator, operator::DeviceTensor, stream::DefaultAllocator};

pub fn sum<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C, DefaultAllocator>,
    x: DeviceTensor<C, f32>,
    y: DeviceTensor<C, i32>,
) -> Result<(), Error> {
    stream.launch(current, operator::add(current, x, y)?)?.wait(current)?;
    Ok(())
}

fn main() {}
