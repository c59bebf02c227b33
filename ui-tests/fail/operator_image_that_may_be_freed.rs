// OP-06: the image of an operator stays while the library reads it.
use ascendcl::{Current, Error};

pub fn load(current: &Current<'_>, image: Vec<u8>) -> Result<(), Error> {
    current.load_operator(&image)
}

fn main() {}
