// OP-06: the image of an operator stays while the library reads it.
use ascendcl::{Brand, Current, Error};

pub fn load(current: &Current<impl Brand>, image: Vec<u8>) -> Result<(), Error> {
    current.load_operator(image.leak())
}

fn main() {}
