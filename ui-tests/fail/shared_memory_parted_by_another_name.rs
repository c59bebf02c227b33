// MEM-01: a part of shared memory keeps all of it, so it is made by the memory itself.
use ascendcl::{Brand, Current, Error, SharedBuffer};

pub fn first_half<C: Brand>(current: &Current<C>, weights: &SharedBuffer<C, f32>) -> Result<Vec<f32>, Error> {
    weights.part(..weights.len() / 2)?.to_vec(current)
}

fn main() {}
