// GRAPH-04: nothing is copied by a call while a stream is captured; the tasks run when the graph is replayed.
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream, capture::CaptureMode};

pub fn print_zeros<C: Brand>(
    current: &mut Current<C>,
    stream: &mut Stream<C, DefaultAllocator>,
    buffer: DeviceBuffer<C, f32>,
) -> Result<(), Error> {
    let graph = stream.capture(current, CaptureMode::default(), buffer, |capture, mut buffer| {
        capture.set_bytes(&mut buffer, 0)?;
        Ok(())
    })?;
    let graph = stream.replay(current, graph)?.wait(current)?;
    drop(graph.into_operands(current)?);
    Ok(())
}

fn main() {}
