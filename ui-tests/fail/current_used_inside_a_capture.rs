// GRAPH-04: a capture allocates nothing and copies nothing at once.
use ascendcl::capture::CaptureMode;
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream};

pub fn clear<C: Brand>(
    current: &mut Current<C>,
    stream: &mut Stream<C, DefaultAllocator>,
    buffer: DeviceBuffer<C, u8>,
) -> Result<(), Error> {
    let graph = stream.capture(current, CaptureMode::Relaxed, buffer, |capture, mut buffer| {
        current.upload(&[1_u8])?;
        capture.set_bytes(&mut buffer, 0)
    })?;
    graph.into_operands(current)?;
    Ok(())
}

fn main() {}
