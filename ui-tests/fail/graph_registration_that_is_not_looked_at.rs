// GE-08: whether an allocator was registered is looked at: the graph is in the answer.
use ascendcl::ge::{Compiled, Graph, Session};
use ascendcl::{Current, DeviceAllocator, Error, Stream};

pub fn program<'c, A: DeviceAllocator>(
    session: &mut Session<'c>,
    current: &Current<'c>,
    graph: Graph<'c, Compiled>,
    [stream, other]: [Stream<'c>; 2],
    allocator: A,
) -> Result<(), Error> {
    let _ = graph.register(session, current, stream, allocator);
    let graph = graph.load_on(session, current, other)?;
    drop(graph);
    Ok(())
}

fn main() {}
