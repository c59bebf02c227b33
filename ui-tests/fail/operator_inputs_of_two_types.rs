// OP-02: the tensors of an operator agree in what they are made of.
use ascendcl::{Current, DeviceTensor, Error, Plain, Stream, operator};

pub fn sum<'c>(
    current: &Current<'c>,
    stream: &Stream<'c, Plain>,
    x: DeviceTensor<'c, f32>,
    y: DeviceTensor<'c, i32>,
) -> Result<(), Error> {
    stream.launch(current, operator::add(current, x, y)?)?.wait(current)?;
    Ok(())
}

fn main() {}
