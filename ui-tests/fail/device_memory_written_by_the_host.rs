// MEM-10: the host does not write through an address of the device.
use ascendcl::{Brand, Current, DeviceBuffer, Error};

pub fn mark<C: Brand>(current: &Current<C>, buffer: &mut DeviceBuffer<C, f32>) -> Result<(), Error> {
    buffer[0] = 1.0;
    current.synchronize()
}

fn main() {}
