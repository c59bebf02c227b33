// MEM-12: host memory of a runtime is read while its context is current.
use ascendcl::{Current, Error, HostBuffer};

ascendcl::names!(Vision);

fn first(current: &Current<Vision>, image: &HostBuffer<Vision, f32>) -> Result<f32, Error> {
    Ok(image.slice(current)?[0])
}

fn main() {}
