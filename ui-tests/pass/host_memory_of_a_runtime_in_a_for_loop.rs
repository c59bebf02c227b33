// MEM-12: a loop over host memory of a runtime runs while its context is current.
use ascendcl::{Error, HostBuffer, Runtime};

ascendcl::names!(Vision);

pub fn sum(runtime: &Runtime<Vision>, image: &HostBuffer<Vision, f32>) -> Result<f32, Error> {
    runtime.with(|current| {
        let mut sum = 0.0;
        for element in image.slice(current)? {
            sum += element;
        }
        let _ = current;
        Ok(sum)
    })?
}

fn main() {}
