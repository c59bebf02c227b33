// CTX-05: a model is loaded while the runtime's context is current.
use ascendcl::{Error, Library, Model, Runtime};

ascendcl::names!(Vision);

pub fn open(file: &str) -> Result<(Runtime<Vision>, Model<Vision>), Error> {
    let runtime = Runtime::<Vision>::open(Library::Vendor)?;
    let model = runtime.load_model(file)?;
    Ok((runtime, model))
}

fn main() {}
