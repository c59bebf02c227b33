// GE-19: an operator's input is a tensor, which has a shape.
use ascendcl::{Brand, Current, DeviceBuffer, Error, operator};

pub fn relu<C: Brand>(current: &Current<C>, buffer: DeviceBuffer<C, f32>) -> Result<(), Error> {
    let operator = operator::relu(current, buffer)?;
    drop(operator);
    Ok(())
}

fn main() {}
