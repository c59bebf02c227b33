// MEM-11: an arena and its buffers belong to their context.
use ascendcl::memory::DeviceArena;
use ascendcl::{Current, DeviceBuffer, Error};

ascendcl::names!(Vision);

pub fn features(
    arena: &mut DeviceArena<Vision>,
    vision: &Current<Vision>,
    values: &[f32],
) -> Result<DeviceBuffer<Vision, f32>, Error> {
    arena.reset(vision)?;
    Ok(arena.take(values.len())?.write(vision, values)?)
}

fn main() {}
