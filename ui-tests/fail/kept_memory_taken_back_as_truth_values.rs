// MEM-07: kept memory is a buffer of numbers again, or of numbers that are not written yet.
use ascendcl::raw::KeptMemory;
use ascendcl::{Brand, Current, DeviceBuffer, Error};

pub fn back<C: Brand>(current: &Current<C>, kept: KeptMemory) -> Result<DeviceBuffer<C, bool>, Error> {
    Ok(kept.into_buffer::<bool, _>(current)?)
}

fn main() {}
