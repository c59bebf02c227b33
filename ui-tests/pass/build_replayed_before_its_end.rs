// GRAPH-08: a graph runs after the end of its build.
use ascendcl::capture::GraphBuild;
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream};

pub fn run<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C, DefaultAllocator>,
    build: GraphBuild<C, DeviceBuffer<C, u8>>,
) -> Result<(), Error> {
    let graph = stream.replay(current, build.end(current)?)?.wait(current)?;
    drop(graph);
    Ok(())
}

fn main() {}
