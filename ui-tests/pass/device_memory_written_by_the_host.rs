// MEM-10: the host does not write through an address of the device.
use ascendcl::{Brand, Current, DeviceBuffer, Error};

pub fn mark<C: Brand>(current: &Current<C>, buffer: &mut DeviceBuffer<C, f32>) -> Result<(), Error> {
    let mut elements = buffer.to_vec(current)?;
    elements[0] = 1.0;
    buffer.copy_from(current, &elements)
}

fn main() {}
