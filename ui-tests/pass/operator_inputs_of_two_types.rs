// OP-02: the tensors of an operator agree in what they are made of.
use ascendcl::{Current, DeviceTensor, Error, Plain, Stream, operator};

pub fn sum<'c>(
    current: &Current<'c>,
    stream: &Stream<'c, Plain>,
    x: DeviceTensor<'c, f32>,
    y: DeviceTensor<'c, i32>,
) -> Result<(), Error> {
    let cast = stream.launch(current, operator::cast::<f32, _, _>(current, y)?)?.wait(current)?;
    let (_, y) = cast.into_tensors(current)?;
    stream.launch(current, operator::add(current, x, y)?)?.wait(current)?;
    Ok(())
}

fn main() {}
