// GE-01: an allocator is registered before the graph is loaded; afterwards the engine would not ask it.
use ascendcl::ge::{Compiled, Graph, Session};
use ascendcl::{Current, DeviceAllocator, Error, Stream};

pub fn program<'c, A: DeviceAllocator>(
    session: &mut Session<'c>,
    current: &Current<'c>,
    graph: Graph<'c, Compiled>,
    stream: Stream<'c>,
    other: Stream<'c>,
    allocator: A,
) -> Result<(), Error> {
    let graph = graph.register(session, current, stream, allocator)?;
    let graph = graph.load(session, current)?;
    drop((graph, other));
    Ok(())
}

fn main() {}
