// COPY-03: waiting gives back the buffers, so it takes the work.
use ascendcl::{Brand, Current, DeviceBuffer, Error, Pending};

pub fn all<C: Brand>(current: &Current<C>, works: Vec<Pending<C, DeviceBuffer<C, u8>>>) -> Result<(), Error> {
    for work in &works {
        work.wait(current)?;
    }
    Ok(())
}

fn main() {}
