// COPY-05: a copy is a method of its buffer.
use ascendcl::{Brand, Current, DeviceBuffer, Error};

pub fn filled<C: Brand>(current: &Current<C>, buffer: &mut DeviceBuffer<C, f32>, from: &[f32]) -> Result<(), Error> {
    current.memcpy(buffer, from)
}

fn main() {}
