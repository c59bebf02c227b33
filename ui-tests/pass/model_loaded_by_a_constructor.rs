// MODEL-01: a model is loaded into a context.
use ascendcl::{Brand, Current, Error, Model};

pub fn all<C: Brand>(current: &Current<C>, files: &[&str]) -> Result<Vec<Model<C>>, Error> {
    current.collect();
    files.iter().map(|file| current.load_model(file)).collect()
}

fn main() {}
