// GE-17: a graph is loaded once.
use ascendcl_ge::{Compiled, Graph, Session};
use ascendcl::{Brand, Current, Error, Stream};

pub fn program<C: Brand>(
    session: &mut Session<C>,
    current: &Current<C>,
    graph: Graph<C, Compiled>,
    [stream, other]: [Stream<C>; 2],
) -> Result<(), Error> {
    let graph = graph.load_on(session, current, stream)?;
    let graph = graph.load_on(session, current, other)?;
    drop(graph);
    Ok(())
}

fn main() {}
