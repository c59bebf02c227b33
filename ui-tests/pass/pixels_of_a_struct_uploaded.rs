// MEM-07: a struct may have padding, which is memory that nobody wrote.
use ascendcl::{Brand, Current, DeviceBuffer, Error};

#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Pixel {
    pub red: u8,
    pub depth: f32,
}

pub fn upload<C: Brand>(current: &Current<C>, image: &[Pixel]) -> Result<(DeviceBuffer<C, u8>, DeviceBuffer<C, f32>), Error> {
    let (red, depth): (Vec<_>, Vec<_>) = image.iter().map(|pixel| (pixel.red, pixel.depth)).unzip();
    Ok((current.upload(&red)?, current.upload(&depth)?))
}

fn main() {}
