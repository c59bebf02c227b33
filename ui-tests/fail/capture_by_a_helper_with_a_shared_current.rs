// GRAPH-02: begin and end of a capture are one call, and nothing waits between them.
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream, capture::CaptureMode};

pub fn record<C: Brand>(
    current: &Current<C>,
    stream: &mut Stream<C, DefaultAllocator>,
    buffer: DeviceBuffer<C, f32>,
) -> Result<(), Error> {
    let graph = stream.capture(current, CaptureMode::default(), buffer, |capture, mut buffer| {
        capture.set_bytes(&mut buffer, 0)?;
        current.synchronize()
    })?;
    drop(graph);
    Ok(())
}

fn main() {}
