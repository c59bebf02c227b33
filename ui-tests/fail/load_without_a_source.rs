// MODEL-12: there is a model when something was loaded.
use ascendcl::{Current, Error, Load, Model, ModelSource, Weights};

fn load<'c>(current: &Current<'c>, weights: &Weights<'c>) -> Result<Model<'c>, Error> {
    let _source = ModelSource::file("model.om");
    Ok(current.load(Load::builder().weights(weights).build())?)
}

fn main() {}
