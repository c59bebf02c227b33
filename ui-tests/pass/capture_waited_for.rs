// GRAPH-04: a capture cannot be waited for.
use ascendcl::capture::CaptureMode;
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream};

pub fn clear<C: Brand>(
    current: &mut Current<C>,
    stream: &mut Stream<C, DefaultAllocator>,
    buffer: DeviceBuffer<C, u8>,
) -> Result<DeviceBuffer<C, u8>, Error> {
    let graph = stream.capture(current, CaptureMode::Relaxed, buffer, |capture, mut buffer| {
        capture.set_bytes(&mut buffer, 0)
    })?;
    Ok(stream.replay(current, graph)?.wait(current)?.into_operands(current)?)
}

fn main() {}
