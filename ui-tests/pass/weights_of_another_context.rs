// MODEL-03: a model is loaded onto weights of its own context, which keeps them as long as it is loaded.
use ascendcl::{Current, Error, Model, Scoped, model::{Load, ModelSource, Weights}};

ascendcl::names! { Vision, Speech }

fn load<'v, 's>(
    current: &Current<Scoped<'v, Vision>>,
    own: &Weights<Scoped<'v, Vision>>,
    other: &Weights<Scoped<'s, Speech>>,
) -> Result<Model<Scoped<'v, Vision>>, Error> {
    let _ = (own, other);
    let load = Load::builder().source(ModelSource::file("model.om")).weights(own).build();
    Ok(current.load(load)?)
}

fn main() {}
