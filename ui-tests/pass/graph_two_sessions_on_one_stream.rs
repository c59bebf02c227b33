// GE-12: two sessions do not share a stream.
use ascendcl::ge::{Compiled, Graph, Session};
use ascendcl::{Current, Error, Fresh, Stream};

ascendcl::names!(First, Second);

pub fn program<'a, 'b>(
    one: (&mut Session<'a, First>, &Current<'a, First>, Graph<'a, Compiled, First>),
    two: (&mut Session<'b, Second>, &Current<'b, Second>, Graph<'b, Compiled, Second>),
    stream: Stream<'a, Fresh, First>,
) -> Result<(), Error> {
    let graph = one.2.load_on(one.0, one.1, stream)?;
    let (_stream, ()) = graph.remove(one.0, one.1)?;
    let graph = two.2.load_on(two.0, two.1, two.1.stream()?)?;
    drop(graph);
    Ok(())
}

fn main() {}
