// MEM-07: buffers hold numbers, for which every pattern of bits is a value.
use ascendcl::{Brand, Current, Error};

pub fn allocate(current: &Current<impl Brand>) -> Result<(), Error> {
    let buffer = current.device_buffer::<bool>(16)?;
    drop(buffer);
    Ok(())
}

fn main() {}
