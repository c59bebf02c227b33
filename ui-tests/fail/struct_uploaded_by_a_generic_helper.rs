// MEM-07: a generic helper uploads numbers only.
use ascendcl::{Brand, Current, DeviceBuffer, Error};

pub fn up<C: Brand, T: Copy>(current: &Current<C>, elements: &[T]) -> Result<DeviceBuffer<C, T>, Error> {
    current.upload(elements)
}

fn main() {}
