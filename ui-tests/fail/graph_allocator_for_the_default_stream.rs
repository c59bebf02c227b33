// GE-06: an allocator is registered for one stream, which is not the default one.
use ascendcl_ge::{Compiled, Graph, Session};
use ascendcl::{Brand, Current, DeviceAllocator, Error};

pub fn program<C: Brand, A: DeviceAllocator>(
    session: &mut Session<C>,
    current: &Current<C>,
    graph: Graph<C, Compiled>,
    allocator: A,
) -> Result<(), Error> {
    let stream = current.default_stream();
    let graph = graph.register(session, current, stream, allocator)?;
    drop(graph);
    Ok(())
}

fn main() {}
