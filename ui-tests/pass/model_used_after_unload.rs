// MODEL-14: an unloaded model is not run.
use ascendcl::{Brand, Current, Error, Input, Model, Outputs};

pub fn end<C: Brand>(current: &mut Current<C>, mut model: Model<C>, input: Input<'_>) -> Result<Outputs, Error> {
    let outputs = model.run(current, &[input])?;
    model.unload(current)?;
    Ok(outputs)
}

fn main() {}
