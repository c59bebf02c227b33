// COPY-03: what a copy wrote is there after the wait.
use ascendcl::{Brand, Current, Error, HostBuffer, Pending};

pub fn sums<C: Brand>(current: &Current<C>, batches: Vec<Pending<C, HostBuffer<C, f32>>>) -> Result<Vec<f32>, Error> {
    let sum = |batch: Pending<C, HostBuffer<C, f32>>| {
        let batch = batch.wait(current)?;
        Ok(batch.slice(current)?.iter().sum())
    };
    batches.into_iter().map(sum).collect()
}

fn main() {}
