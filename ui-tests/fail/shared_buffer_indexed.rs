// MEM-10: the host does not reach device memory: it copies the elements.
use ascendcl::{Brand, Current, Error, SharedBuffer};

pub fn first<C: Brand>(current: &Current<C>, weights: &SharedBuffer<C, f32>) -> Result<f32, Error> {
    let _ = current;
    Ok(weights[0])
}

fn main() {}
