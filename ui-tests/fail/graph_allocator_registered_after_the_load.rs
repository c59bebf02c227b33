// GE-01: an allocator is registered before the graph is loaded; afterwards the engine would not ask it.
use ascendcl_ge::{Compiled, Graph, Session};
use ascendcl::{Brand, Current, DeviceAllocator, Error, Stream};

pub fn program<C: Brand, A: DeviceAllocator>(
    session: &mut Session<C>,
    current: &Current<C>,
    graph: Graph<C, Compiled>,
    stream: Stream<C>,
    other: Stream<C>,
    allocator: A,
) -> Result<(), Error> {
    let graph = graph.load_on(session, current, stream)?;
    let graph = graph.register(session, current, other, allocator)?;
    drop(graph);
    Ok(())
}

fn main() {}
