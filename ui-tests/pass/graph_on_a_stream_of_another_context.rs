// GE-18: a graph runs on a stream of its session, which works in the default context.
use ascendcl::ge::{Compiled, Graph, Session};
use ascendcl::{Current, Error, Fresh, Stream};

ascendcl::names!(Recogniser, Vision);

pub fn program<'s, 'c>(
    session: &mut Session<'s, Recogniser>,
    current: &Current<'s, Recogniser>,
    graph: Graph<'s, Compiled, Recogniser>,
    stream: Stream<'c, Fresh, Vision>,
) -> Result<(), Error> {
    let graph = graph.load_on(session, current, current.stream()?)?;
    drop((graph, stream));
    Ok(())
}

fn main() {}
