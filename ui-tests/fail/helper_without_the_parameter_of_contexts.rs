// CTX-02: a helper says of which context its argument is the proof.
use ascendcl::{Brand, Current, DeviceBuffer, Error};

pub fn upload<C: Brand>(current: &Current, pixels: &[f32]) -> Result<DeviceBuffer<C, f32>, Error> {
    current.upload(pixels)
}

fn main() {}
