// MODEL-14: an unloaded model is not run.
use ascendcl::{Current, Error, Input, Model, Outputs};

pub fn end<'c>(current: &mut Current<'c>, mut model: Model<'c>, input: Input<'_>) -> Result<Outputs, Error> {
    model.unload(current)?;
    let outputs = model.run(current, &[input])?;
    Ok(outputs)
}

fn main() {}
