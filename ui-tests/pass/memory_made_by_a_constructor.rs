// MEM-06: device memory is allocated in a context.
use ascendcl::{Brand, Current, DeviceBuffer, Error};

pub fn upload_all<C: Brand>(current: &Current<C>, rows: &[Vec<f32>]) -> Result<Vec<DeviceBuffer<C, f32>>, Error> {
    current.collect();
    rows.iter().map(|row| current.upload(row)).collect()
}

fn main() {}
