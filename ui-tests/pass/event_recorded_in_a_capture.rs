// GRAPH-06: the branches of a capture are ordered by the capture, and none is left over at its end.
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream, capture::CaptureMode};

pub fn zero_twice<C: Brand>(
    current: &mut Current<C>,
    streams: &mut [Stream<C, DefaultAllocator>; 2],
    buffers: (DeviceBuffer<C, f32>, DeviceBuffer<C, f32>),
) -> Result<(), Error> {
    let [stream, _side] = streams;
    let graph = stream.capture(current, CaptureMode::default(), buffers, |capture, (mut first, mut second)| {
        capture.set_bytes(&mut first, 0)?;
        capture.set_bytes(&mut second, 0)
    })?;
    drop(graph);
    Ok(())
}

fn main() {}
