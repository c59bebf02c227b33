// GE-23: a graph's memory is set once.
use ascendcl_ge::{Compiled, Graph, Session};
use ascendcl::{Brand, Current, DeviceBuffer, Error};

pub fn program<C: Brand>(
    session: &mut Session<C>,
    current: &Current<C>,
    graph: Graph<C, Compiled>,
    [constants, features, more, other]: [DeviceBuffer<C, u8>; 4],
) -> Result<(), Error> {
    let graph = graph.set_memory(session, current, constants, features)?;
    let graph = graph.set_memory(session, current, more, other)?;
    drop(graph);
    Ok(())
}

fn main() {}
