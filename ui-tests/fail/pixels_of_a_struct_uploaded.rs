// MEM-07: a struct may have padding, which is memory that nobody wrote.
use ascendcl::{Brand, Current, DeviceBuffer, Error};

#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Pixel {
    pub red: u8,
    pub depth: f32,
}

pub fn upload<C: Brand>(current: &Current<C>, image: &[Pixel]) -> Result<DeviceBuffer<C, Pixel>, Error> {
    current.upload(image)
}

fn main() {}
