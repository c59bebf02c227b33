// GRAPH-10: a captured instance is not aborted.
use ascendcl::capture::CapturedGraph;
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream};

pub fn briefly<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C, DefaultAllocator>,
    graph: CapturedGraph<C, DeviceBuffer<C, u8>>,
) -> Result<(), Error> {
    let replay = stream.replay(current, graph)?;
    drop(replay.wait(current)?);
    Ok(())
}

fn main() {}
