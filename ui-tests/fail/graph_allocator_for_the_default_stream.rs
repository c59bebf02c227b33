// GE-06: an allocator is registered for one stream, which is not the default one.
use ascendcl::ge::{Compiled, Graph, Session};
use ascendcl::{Current, DeviceAllocator, Error};

pub fn program<'c, A: DeviceAllocator>(
    session: &mut Session<'c>,
    current: &Current<'c>,
    graph: Graph<'c, Compiled>,
    allocator: A,
) -> Result<(), Error> {
    let stream = current.default_stream();
    let graph = graph.register(session, current, stream, allocator)?;
    drop(graph);
    Ok(())
}

fn main() {}
