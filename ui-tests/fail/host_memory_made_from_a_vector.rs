// MEM-06: pinned memory is allocated in a context.
use ascendcl::{Brand, Current, Error, HostBuffer};

pub fn pinned<C: Brand>(current: &Current<C>, elements: Vec<f32>) -> Result<HostBuffer<C, f32>, Error> {
    current.collect();
    HostBuffer::from_vec(elements)
}

fn main() {}
