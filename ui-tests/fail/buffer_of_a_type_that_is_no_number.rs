// MEM-07: buffers hold numbers, for which every pattern of bits is a value.
use ascendcl::{Current, Error};

pub fn allocate(current: &Current<'_>) -> Result<(), Error> {
    let buffer = current.device_buffer::<bool>(16)?;
    drop(buffer);
    Ok(())
}

fn main() {}
