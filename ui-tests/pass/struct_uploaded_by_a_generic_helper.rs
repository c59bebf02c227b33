// MEM-07: a generic helper uploads numbers only.
use ascendcl::{Brand, Current, DeviceBuffer, Element, Error};

pub fn up<C: Brand, T: Element>(current: &Current<C>, elements: &[T]) -> Result<DeviceBuffer<C, T>, Error> {
    current.upload(elements)
}

fn main() {}
