// GE-12: two sessions do not share a stream.
use ascendcl_ge::{Compiled, Graph, Session};
use ascendcl::{Current, Error, Scoped, Stream, stream::Undecided};

ascendcl::names!(First, Second);

pub fn program<'a, 'b>(
    one: (&mut Session<Scoped<'a, First>>, &Current<Scoped<'a, First>>, Graph<Scoped<'a, First>, Compiled>),
    two: (&mut Session<Scoped<'b, Second>>, &Current<Scoped<'b, Second>>, Graph<Scoped<'b, Second>, Compiled>),
    stream: Stream<Scoped<'a, First>, Undecided>,
) -> Result<(), Error> {
    let graph = one.2.load_on(one.0, one.1, stream)?;
    let (stream, ()) = graph.remove(one.0, one.1)?;
    let graph = two.2.load_on(two.0, two.1, stream)?;
    drop(graph);
    Ok(())
}

fn main() {}
