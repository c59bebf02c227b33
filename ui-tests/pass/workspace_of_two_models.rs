// MODEL-04: models that may run at the same time do not work in one workspace.
use ascendcl::{Current, Error, Load, Model, ModelSource, Workspace};

fn two<'c>(current: &Current<'c>, own: Workspace<'c>, other: Workspace<'c>) -> Result<[Model<'c>; 2], Error> {
    let source = ModelSource::file("model.om");
    let first = current.load(Load::builder().source(source).workspace(own).build())?;
    let second = current.load(Load::builder().source(source).workspace(other).build())?;
    Ok([first, second])
}

fn main() {}
