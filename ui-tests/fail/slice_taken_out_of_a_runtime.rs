// MEM-12: a slice of host memory stays inside, where it keeps the runtime open.
use ascendcl::{Error, HostBuffer, Runtime};

ascendcl::names!(Vision);

fn sum(runtime: &Runtime<Vision>, image: &HostBuffer<Vision, f32>) -> Result<f32, Error> {
    let pixels = runtime.with(|current| image.slice(current))??;
    Ok(pixels.iter().sum())
}

fn main() {}
