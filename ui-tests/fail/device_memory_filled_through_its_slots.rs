// MEM-10: the host cannot write into device memory, slot by slot neither.
use ascendcl::{Brand, Current, DeviceBuffer, Error};

pub fn fill<C: Brand>(current: &Current<C>) -> Result<DeviceBuffer<C, f32>, Error> {
    let mut buffer = current.upload(&[0.0_f32; 4])?;
    for slot in buffer.iter_mut() {
        *slot = 1.0;
    }
    Ok(buffer)
}

fn main() {}
