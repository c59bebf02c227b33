// GE-20: inputs are freed when the execution was waited for.
use ascendcl::ge::{Compiled, Graph, Loaded, Session};
use ascendcl::operator::DeviceTensor;
use ascendcl::{Current, Error};

pub fn program<'c>(
    session: &mut Session<'c>,
    current: &Current<'c>,
    graph: Graph<'c, Loaded<Compiled>>,
    images: DeviceTensor<'c, f32>,
) -> Result<(), Error> {
    let running = graph.execute(session, current, images)?;
    images.into_buffer().free(current)?;
    running.wait(current)?;
    Ok(())
}

fn main() {}
