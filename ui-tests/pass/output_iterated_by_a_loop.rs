// DATA-07: the type of an output's elements is checked when they are read.
use ascendcl::{Brand, Current, Error, Input, Model};

pub fn sum<C: Brand>(current: &mut Current<C>, model: &mut Model<C>, input: Input<'_>) -> Result<f32, Error> {
    let mut sum = 0.0;
    let outputs = model.run(current, &[input])?;
    for score in outputs.get(0)?.to_vec::<f32>()? {
        sum += score;
    }
    Ok(sum)
}

fn main() {}
