// MEM-07: memory of a cache is written before it is read again.
use ascendcl::{Brand, Current, DeviceBuffer, Error};

pub fn next<C: Brand>(current: &Current<C>, used: DeviceBuffer<C, f32>) -> Result<(), Error> {
    for memory in [current.device_buffer::<f32>(4)?, used.into_unwritten()] {
        drop(memory.to_vec(current)?);
    }
    Ok(())
}

fn main() {}
