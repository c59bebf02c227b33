// GRAPH-05: a graph owns what its tasks use.
use ascendcl::capture::CaptureMode;
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream};

pub fn nothing<C: Brand>(
    current: &mut Current<C>,
    stream: &mut Stream<C, DefaultAllocator>,
    buffer: DeviceBuffer<C, u8>,
) -> Result<(), Error> {
    let cleared = stream.set_bytes(current, buffer, 0)?;
    let _ = stream.capture(current, CaptureMode::Relaxed, cleared, |_, _| Ok(()));
    Ok(())
}

fn main() {}
