// GE-03: the allocator of a graph is replaced, which gives the old one back; it is not registered over.
use ascendcl::ge::{Compiled, Graph, Session};
use ascendcl::{Current, DeviceAllocator, Error, Stream};

pub fn program<'c, A: DeviceAllocator>(
    session: &mut Session<'c>,
    current: &Current<'c>,
    graph: Graph<'c, Compiled>,
    [stream, other]: [Stream<'c>; 2],
    [first, second]: [A; 2],
) -> Result<(), Error> {
    let graph = graph.register(session, current, stream, first)?;
    let graph = graph.register(session, current, other, second)?;
    drop(graph);
    Ok(())
}

fn main() {}
