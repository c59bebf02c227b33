// MEM-07: `write` is what makes new memory readable; memory that was written is copied to.
use ascendcl::{Brand, Current, DeviceBuffer, Error};

pub fn refill<C: Brand>(
    current: &Current<C>,
    mut weights: DeviceBuffer<C, f32>,
    batches: &[Vec<f32>],
) -> Result<DeviceBuffer<C, f32>, Error> {
    for batch in batches {
        weights.write(current, batch)?;
    }
    Ok(weights)
}

fn main() {}
