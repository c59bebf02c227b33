// COPY-03: in a loop over downloads, each is waited for before it is read.
use ascendcl::{Brand, Current, Error, HostBuffer, Pending};

pub fn sum<C: Brand>(current: &Current<C>, downloads: Vec<Pending<C, HostBuffer<C, f32>>>) -> Result<f32, Error> {
    let mut sum = 0.0;
    for image in downloads {
        sum += image.slice(current)?.iter().sum::<f32>();
    }
    Ok(sum)
}

fn main() {}
