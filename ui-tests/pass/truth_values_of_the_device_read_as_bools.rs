// MEM-07: a device can write any byte, and a `bool` has two; the bytes are compared.
use ascendcl::{Bool, Brand, Current, Error, operator::AnyTensor};

pub fn truths<C: Brand>(current: &Current<C>, mask: &AnyTensor<C>) -> Result<Vec<bool>, Error> {
    mask.to_vec::<Bool>(current)?.into_iter().map(bool::try_from).collect()
}

fn main() {}
