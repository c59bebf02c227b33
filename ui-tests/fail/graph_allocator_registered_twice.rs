// GE-03: the allocator of a graph is replaced, which gives the old one back; it is not registered over.
use ascendcl_ge::{Compiled, Graph, Session};
use ascendcl::{Brand, Current, DeviceAllocator, Error, Stream};

pub fn program<C: Brand, A: DeviceAllocator>(
    session: &mut Session<C>,
    current: &Current<C>,
    graph: Graph<C, Compiled>,
    [stream, other]: [Stream<C>; 2],
    [first, second]: [A; 2],
) -> Result<(), Error> {
    let graph = graph.register(session, current, stream, first)?;
    let graph = graph.register(session, current, other, second)?;
    drop(graph);
    Ok(())
}

fn main() {}
