// MEM-07: memory is written before several read it.
use ascendcl::{Brand, Current, Error, SharedBuffer};

pub fn table<C: Brand>(current: &Current<C>) -> Result<SharedBuffer<C, f32>, Error> {
    let table = current.device_buffer::<f32>(4)?;
    Ok(table.into_shared())
}

fn main() {}
