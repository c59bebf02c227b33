// MEM-07: what is uploaded has a meaning for every pattern of bits; a `bool` has two.
use ascendcl::{Bool, Brand, Current, DeviceBuffer, Error};

pub fn mask<C: Brand>(current: &Current<C>, kept: &[bool]) -> Result<DeviceBuffer<C, Bool>, Error> {
    let mask = current.upload(kept)?;
    Ok(mask)
}

fn main() {}
