// MEM-01: memory that queued work uses is not freed.
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream};

pub fn clear<C: Brand>(current: &Current<C>, stream: &Stream<C>, buffer: DeviceBuffer<C, f32>) -> Result<(), Error> {
    let cleared = stream.set_bytes(current, buffer, 0)?;
    cleared.wait(current)?.free(current)?;
    Ok(())
}

fn main() {}
