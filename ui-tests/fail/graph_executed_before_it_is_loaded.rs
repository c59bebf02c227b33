// GE-17: a graph is executed when it was compiled and loaded.
use ascendcl::ge::{Compiled, Graph, Session};
use ascendcl::operator::DeviceTensor;
use ascendcl::{Current, Error, Stream};

pub fn program<'c>(
    session: &mut Session<'c>,
    current: &Current<'c>,
    graph: Graph<'c, Compiled>,
    stream: Stream<'c>,
    images: DeviceTensor<'c, f32>,
) -> Result<(), Error> {
    let running = graph.execute(session, current, images)?;
    running.wait(current)?;
    drop(stream);
    Ok(())
}

fn main() {}
