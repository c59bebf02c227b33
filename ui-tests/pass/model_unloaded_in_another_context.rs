// MODEL-01: a model is unloaded in the context that it was loaded in.
use ascendcl::{Current, Error, Model, Scoped};

ascendcl::names! { pub Vision, pub Speech }

pub fn end<'v, 's>(
    vision: &Current<Scoped<'v, Vision>>,
    speech: &Current<Scoped<'s, Speech>>,
    model: Model<Scoped<'v, Vision>>,
) -> Result<(), Error> {
    let _ = (vision, speech);
    Ok(model.unload(vision)?)
}

fn main() {}
