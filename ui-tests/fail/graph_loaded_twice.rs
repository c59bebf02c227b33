// GE-17: a graph is loaded once.
use ascendcl::ge::{Compiled, Graph, Session};
use ascendcl::{Current, Error, Stream};

pub fn program<'c>(
    session: &mut Session<'c>,
    current: &Current<'c>,
    graph: Graph<'c, Compiled>,
    [stream, other]: [Stream<'c>; 2],
) -> Result<(), Error> {
    let graph = graph.load_on(session, current, stream)?;
    let graph = graph.load_on(session, current, other)?;
    drop(graph);
    Ok(())
}

fn main() {}
