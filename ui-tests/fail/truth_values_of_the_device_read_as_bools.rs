// MEM-07: a device can write any byte, and a `bool` has two; the bytes are compared.
use ascendcl::{Brand, Current, Error, operator::AnyTensor};

pub fn truths<C: Brand>(current: &Current<C>, mask: &AnyTensor<C>) -> Result<Vec<bool>, Error> {
    mask.to_vec::<bool>(current)
}

fn main() {}
