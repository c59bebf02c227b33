// STREAM-20: the number of a case has 32 bits.
use ascendcl::{Brand, Current, DeviceBuffer, Error};

pub fn choose<C: Brand>(current: &Current<C>, index: DeviceBuffer<C, u32>) -> Result<(), Error> {
    let mut build = current.build_graph(index)?;
    build.add(current, |tasks, index| tasks.switch(&index, 2, |_, _| Ok(())))?;
    drop(build.end(current)?);
    Ok(())
}

fn main() {}
