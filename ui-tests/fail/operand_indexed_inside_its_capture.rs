// GRAPH-04: the elements of a captured copy are there after a replay, not in the capture.
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Brand, Current, DeviceBuffer, Error, HostBuffer, Stream, capture::CaptureMode};

pub fn sums<C: Brand>(
    current: &mut Current<C>,
    stream: &mut Stream<C, DefaultAllocator>,
    scores: (DeviceBuffer<C, f32>, HostBuffer<C, f32>),
) -> Result<f32, Error> {
    let mut sum = 0.0;
    let graph = stream.capture(current, CaptureMode::default(), scores, |capture, (device, mut host)| {
        capture.copy_to_host(&device, &mut host)?;
        sum += host[0];
        Ok(())
    })?;
    let mut graph = stream.replay(current, graph)?.wait(current)?;
    let (_, host) = graph.operands(current)?;
    sum += host[0];
    Ok(sum)
}

fn main() {}
