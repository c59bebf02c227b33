// DATA-07: the type of an output's elements is checked when they are read.
use ascendcl::{Brand, Current, Error, Input, Model};

pub fn sum<C: Brand>(current: &mut Current<C>, model: &mut Model<C>, input: Input<'_>) -> Result<f32, Error> {
    let outputs = model.run(current, &[input])?;
    Ok(outputs.get(0)?.iter().sum())
}

fn main() {}
