// MODEL-14: an unloaded model is not run.
use ascendcl::{Current, Error, Input, Model, Outputs};

pub fn end<'c>(current: &mut Current<'c>, mut model: Model<'c>, input: Input<'_>) -> Result<Outputs, Error> {
    let outputs = model.run(current, &[input])?;
    model.unload(current)?;
    Ok(outputs)
}

fn main() {}
