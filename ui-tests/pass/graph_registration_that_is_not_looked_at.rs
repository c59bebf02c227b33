// GE-08: whether an allocator was registered is looked at: the graph is in the answer.
use ascendcl_ge::{Compiled, Graph, Session};
use ascendcl::{Brand, Current, DeviceAllocator, Error, Stream};

pub fn program<C: Brand, A: DeviceAllocator>(
    session: &mut Session<C>,
    current: &Current<C>,
    graph: Graph<C, Compiled>,
    [stream, other]: [Stream<C>; 2],
    allocator: A,
) -> Result<(), Error> {
    let graph = graph.register(session, current, stream, allocator)?;
    let graph = graph.load(session, current)?;
    drop((graph, other));
    Ok(())
}

fn main() {}
