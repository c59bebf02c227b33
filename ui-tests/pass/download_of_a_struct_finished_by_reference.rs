// COPY-03: a wait ends the work and gives back what it used, so it takes the work.
use ascendcl::{Brand, Current, DeviceBuffer, Error, HostBuffer, Pending};

pub struct Download<C: Brand> {
    pub copy: Pending<C, (DeviceBuffer<C, f32>, HostBuffer<C, f32>)>,
}

impl<C: Brand> Download<C> {
    pub fn finish(self, current: &Current<C>) -> Result<Vec<f32>, Error> {
        let (_, host) = self.copy.wait(current)?;
        Ok(host.slice(current)?.to_vec())
    }
}

fn main() {}
