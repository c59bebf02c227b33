// MEM-07: memory is written before its bytes are elements of another type.
use ascendcl::{Brand, Current, DeviceBuffer, Error};

pub fn numbers<C: Brand>(current: &Current<C>) -> Result<DeviceBuffer<C, f32>, Error> {
    let bytes = current.device_buffer::<u8>(64)?;
    Ok(bytes.zero(current)?.cast::<f32>()?)
}

fn main() {}
