// COPY-07: a field that has work in flight is read when it was waited for.
use ascendcl::{Brand, Current, DeviceBuffer, Error, Pending};

pub struct Frame<C: Brand> {
    pub upload: Pending<C, DeviceBuffer<C, f32>>,
}

impl<C: Brand> Frame<C> {
    pub fn elements(self, current: &Current<C>) -> Result<Vec<f32>, Error> {
        self.upload.wait(current)?.to_vec(current)
    }
}

fn main() {}
