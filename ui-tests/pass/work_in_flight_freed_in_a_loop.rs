// MEM-01: memory of queued work is freed when the work was waited for.
use ascendcl::{Brand, Current, DeviceBuffer, Error, Pending};

pub fn end<C: Brand>(current: &Current<C>, cleared: Vec<Pending<C, DeviceBuffer<C, u8>>>) -> Result<(), Error> {
    for work in cleared {
        work.wait(current)?.free(current)?;
    }
    Ok(())
}

fn main() {}
