// DATA-07: outputs are read one by one, each as its own type.
use ascendcl::{Brand, Current, Error, Input, Model};

pub fn scores<C: Brand>(current: &mut Current<C>, model: &mut Model<C>, input: Input<'_>) -> Result<Vec<f32>, Error> {
    let outputs = model.run(current, &[input])?;
    outputs.get(0)?.to_vec()
}

fn main() {}
