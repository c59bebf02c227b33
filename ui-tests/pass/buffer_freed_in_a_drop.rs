// MEM-11: memory is freed while its context is current; the drop of a struct has no proof of that.
use ascendcl::{Brand, Current, DeviceBuffer, Error};

pub struct Image<C: Brand> {
    pub pixels: Option<DeviceBuffer<C, f32>>,
}

impl<C: Brand> Image<C> {
    pub fn close(self, current: &Current<C>) -> Result<(), Error> {
        if let Some(pixels) = self.pixels {
            pixels.free(current)?;
        }
        Ok(())
    }
}

fn main() {}
