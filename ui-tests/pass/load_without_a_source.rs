// MODEL-12: there is a model when something was loaded.
use ascendcl::{Brand, Current, Error, Model, model::{Load, ModelSource, Weights}};

fn load<C: Brand>(current: &Current<C>, weights: &Weights<C>) -> Result<Model<C>, Error> {
    let _source = ModelSource::file("model.om");
    Ok(current.load(Load::builder().source(_source).weights(weights).build())?)
}

fn main() {}
