// GRAPH-07: an instance is not destroyed while it runs.
use ascendcl::capture::CapturedGraph;
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream};

pub fn once<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C, DefaultAllocator>,
    graph: CapturedGraph<C, DeviceBuffer<C, u8>>,
) -> Result<DeviceBuffer<C, u8>, Error> {
    let pending = stream.replay(current, graph)?;
    Ok(pending.into_operands(current)?)
}

fn main() {}
