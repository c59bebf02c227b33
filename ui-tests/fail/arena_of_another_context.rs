// MEM-11: an arena and its buffers belong to their context.
use ascendcl::memory::DeviceArena;
use ascendcl::{Current, DeviceBuffer, Error};

ascendcl::names!(Vision, Speech);

pub fn features(
    arena: &mut DeviceArena<Vision>,
    speech: &Current<Speech>,
    values: &[f32],
) -> Result<DeviceBuffer<Vision, f32>, Error> {
    arena.reset(speech)?;
    Ok(arena.take(values.len())?.write(speech, values)?)
}

fn main() {}
