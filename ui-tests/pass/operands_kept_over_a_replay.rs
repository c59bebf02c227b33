// GRAPH-05: what a graph uses is not reached during a replay.
use ascendcl::capture::CapturedGraph;
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Brand, Current, Error, HostBuffer, Stream};

pub fn refill<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C, DefaultAllocator>,
    mut graph: CapturedGraph<C, HostBuffer<C, f32>>,
) -> Result<(), Error> {
    let input = graph.operands(current)?;
    input.fill(1.0);
    let pending = stream.replay(current, graph)?;
    drop(pending);
    Ok(())
}

fn main() {}
