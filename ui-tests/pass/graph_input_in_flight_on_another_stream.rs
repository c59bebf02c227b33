// STREAM-04: a graph runs on a stream of its own; work on another stream is waited for before.
use ascendcl_ge::{Compiled, Graph, Loaded, Session};
use ascendcl::operator::{self, DeviceTensor};
use ascendcl::{Brand, Current, Error, Stream, stream::DefaultAllocator};

pub fn program<C: Brand>(
    session: &mut Session<C>,
    current: &Current<C>,
    graph: Graph<C, Loaded<Compiled>>,
    stream: &Stream<C, DefaultAllocator>,
    images: DeviceTensor<C, f32>,
) -> Result<(), Error> {
    let images = stream.launch(current, operator::relu(current, images)?)?.into_outputs();
    let running = graph.execute(session, current, images.wait(current)?)?;
    running.wait(current)?;
    Ok(())
}

fn main() {}
