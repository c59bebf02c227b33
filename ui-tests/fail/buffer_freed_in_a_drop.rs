// MEM-11: memory is freed while its context is current; the drop of a struct has no proof of that.
use ascendcl::{Brand, DeviceBuffer};

pub struct Image<C: Brand> {
    pub pixels: Option<DeviceBuffer<C, f32>>,
}

impl<C: Brand> Drop for Image<C> {
    fn drop(&mut self) {
        if let Some(pixels) = self.pixels.take() {
            let _ = pixels.free();
        }
    }
}

fn main() {}
