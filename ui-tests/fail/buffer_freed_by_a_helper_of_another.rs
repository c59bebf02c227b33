// MEM-11: memory is freed while its own context is current.
use ascendcl::{Current, DeviceBuffer, Error};

ascendcl::names!(Vision, Speech);

pub fn end(current: &Current<Vision>, sounds: Vec<DeviceBuffer<Speech, f32>>) -> Result<(), Error> {
    sounds.into_iter().try_for_each(|sound| Ok(sound.free(current)?))
}

fn main() {}
