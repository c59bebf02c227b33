// MODEL-01: a model is unloaded in the context that it was loaded in.
use ascendcl::{Current, Error, Model};

ascendcl::names! { pub Vision, pub Speech }

pub fn end<'v, 's>(
    vision: &Current<'v, Vision>,
    speech: &Current<'s, Speech>,
    model: Model<'v, Vision>,
) -> Result<(), Error> {
    let _ = (vision, speech);
    Ok(model.unload(speech)?)
}

fn main() {}
