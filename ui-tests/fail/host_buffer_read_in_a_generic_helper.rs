// MEM-12: a helper for every context reads host memory while the context is current.
use ascendcl::{Brand, Current, Error, HostBuffer};

pub fn sum<C: Brand>(current: &Current<C>, image: &HostBuffer<C, f32>) -> Result<f32, Error> {
    let _ = current;
    let mut sum = 0.0;
    for index in 0..image.len() {
        sum += image[index];
    }
    Ok(sum)
}

fn main() {}
