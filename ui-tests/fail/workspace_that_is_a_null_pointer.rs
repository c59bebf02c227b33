// MODEL-08: memory of the program's own has an address and a size.
use ascendcl::{Brand, Current, Error, Model, model::{Load, ModelSource}};

fn load<C: Brand>(current: &Current<C>) -> Result<Model<C>, Error> {
    let workspace = std::ptr::null_mut::<u8>();
    let load = Load::builder().source(ModelSource::file("model.om")).workspace(workspace).build();
    Ok(current.load(load)?)
}

fn main() {}
