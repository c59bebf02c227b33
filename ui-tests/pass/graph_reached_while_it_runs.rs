// GRAPH-05: what a graph uses is not reached during a replay.
use ascendcl::capture::CapturedGraph;
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream};

pub fn once<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C, DefaultAllocator>,
    graph: CapturedGraph<C, DeviceBuffer<C, u8>>,
) -> Result<(), Error> {
    let mut graph = stream.replay(current, graph)?.wait(current)?;
    graph.operands(current)?;
    Ok(())
}

fn main() {}
