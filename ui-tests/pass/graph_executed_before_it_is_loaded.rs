// GE-17: a graph is executed when it was compiled and loaded.
use ascendcl_ge::{Compiled, Graph, Session};
use ascendcl::operator::DeviceTensor;
use ascendcl::{Brand, Current, Error, Stream};

pub fn program<C: Brand>(
    session: &mut Session<C>,
    current: &Current<C>,
    graph: Graph<C, Compiled>,
    stream: Stream<C>,
    images: DeviceTensor<C, f32>,
) -> Result<(), Error> {
    let running = graph.load_on(session, current, stream)?.execute(session, current, images)?;
    running.wait(current)?;
    Ok(())
}

fn main() {}
