// GE-23: a graph's memory is set once.
use ascendcl::ge::{Compiled, Graph, Session};
use ascendcl::{Current, DeviceBuffer, Error};

pub fn program<'c>(
    session: &mut Session<'c>,
    current: &Current<'c>,
    graph: Graph<'c, Compiled>,
    [constants, features, more, other]: [DeviceBuffer<'c, u8>; 4],
) -> Result<(), Error> {
    let graph = graph.set_memory(session, current, constants, features)?;
    drop((graph, more, other));
    Ok(())
}

fn main() {}
