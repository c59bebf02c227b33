// ERR-01: a model that could not be unloaded comes back in the error; `anyhow` takes errors without values.
#![allow(unused_imports)]
use ascendcl::{Brand, Current, Model, OrDrop};

pub fn unloaded<C: Brand>(current: &Current<C>, model: Model<C>) -> anyhow::Result<()> {
    model.unload(current)?;
    Ok(())
}

fn main() {}
