// MODEL-12: a helper that loads says what to load.
use ascendcl::{Brand, Current, Error, Model, model::{Load, ModelSource}};

pub fn load<C: Brand>(current: &Current<C>, workspace: usize) -> Result<Model<C>, Error> {
    let load = Load::builder().source(ModelSource::file("model.om")).workspace(current.workspace(workspace)?);
    Ok(current.load(load.build())?)
}

fn main() {}
