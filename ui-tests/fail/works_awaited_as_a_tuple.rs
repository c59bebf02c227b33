// COPY-03: each piece of work is waited for, or they are joined first.
use ascendcl::{Brand, Current, DeviceBuffer, Error, Pending};

type Work<C> = Pending<C, DeviceBuffer<C, f32>>;

pub fn both<C: Brand>(current: &Current<C>, first: Work<C>, second: Work<C>) -> Result<(), Error> {
    let (_first, _second) = (first, second).wait(current)?;
    Ok(())
}

fn main() {}
