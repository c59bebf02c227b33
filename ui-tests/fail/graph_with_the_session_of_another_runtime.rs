// GE-11: a graph is used with its own session.
use ascendcl_ge::{Added, Compiled, Graph, Session};
use ascendcl::{Current, Error};

ascendcl::names!(Vision, Speech);

pub fn program(
    vision: (&mut Session<Vision>, &Current<Vision>),
    speech: (&mut Session<Speech>, &Current<Speech>),
    graph: Graph<Vision, Added>,
) -> Result<Graph<Vision, Compiled>, Error> {
    speech.0.collect(speech.1).into_iter().next().map_or(Ok(()), Err)?;
    Ok(graph.compile(speech.0, vision.1)?)
}

fn main() {}
