// DATA-07: a model may have fewer outputs.
use ascendcl::{Brand, Current, Error, Input, Model};

pub fn scores<C: Brand>(current: &mut Current<C>, model: &mut Model<C>, input: Input<'_>) -> Result<Vec<f32>, Error> {
    let outputs = model.run(current, &[input])?;
    outputs.get(0)?.to_vec()
}

fn main() {}
