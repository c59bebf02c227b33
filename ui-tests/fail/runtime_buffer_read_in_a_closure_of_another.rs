// MEM-11: memory is read while its own context is current.
use ascendcl::{DeviceBuffer, Error, Runtime};

ascendcl::names!(Vision, Speech);

pub fn read(
    vision: &Runtime<Vision>,
    speech: &Runtime<Speech>,
    sounds: &DeviceBuffer<Speech, f32>,
) -> Result<Vec<f32>, Error> {
    let _ = (vision, speech);
    vision.with(|current| sounds.to_vec(current))?
}

fn main() {}
