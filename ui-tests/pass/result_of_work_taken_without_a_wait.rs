// COPY-03: what queued work uses comes back by a wait.
use ascendcl::{Brand, Current, DeviceBuffer, Error, Pending};

type Upload<C> = Pending<C, DeviceBuffer<C, f32>>;

pub fn done<C: Brand>(current: &Current<C>, upload: Upload<C>) -> Result<DeviceBuffer<C, f32>, Error> {
    Ok(upload.wait(current)?)
}

fn main() {}
