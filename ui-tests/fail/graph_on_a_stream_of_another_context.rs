// GE-18: a graph runs on a stream of its session, which works in the default context.
use ascendcl_ge::{Compiled, Graph, Session};
use ascendcl::{Current, Error, Scoped, Stream, stream::Undecided};

ascendcl::names!(Recogniser, Vision);

pub fn program<'s, 'c>(
    session: &mut Session<Scoped<'s, Recogniser>>,
    current: &Current<Scoped<'s, Recogniser>>,
    graph: Graph<Scoped<'s, Recogniser>, Compiled>,
    stream: Stream<Scoped<'c, Vision>, Undecided>,
) -> Result<(), Error> {
    let graph = graph.load_on(session, current, stream)?;
    drop(graph);
    Ok(())
}

fn main() {}
