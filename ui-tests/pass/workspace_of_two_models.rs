// MODEL-04: models that may run at the same time do not work in one workspace.
use ascendcl::{Brand, Current, Error, Model, model::{Load, ModelSource, Workspace}};

fn two<C: Brand>(current: &Current<C>, own: Workspace<C>, other: Workspace<C>) -> Result<[Model<C>; 2], Error> {
    let source = ModelSource::file("model.om");
    let first = current.load(Load::builder().source(source).workspace(own).build())?;
    let second = current.load(Load::builder().source(source).workspace(other).build())?;
    Ok([first, second])
}

fn main() {}
