// GE-19: inputs of a graph are tensors in device memory.
use ascendcl::ge::{Compiled, Graph, Loaded, Session};
use ascendcl::{Current, Error, HostBuffer};

pub fn program<'c>(
    session: &mut Session<'c>,
    current: &Current<'c>,
    graph: Graph<'c, Loaded<Compiled>>,
    images: HostBuffer<'c, f32>,
) -> Result<(), Error> {
    let running = graph.execute(session, current, current.upload_tensor(&[1, 64], &images)?)?;
    running.wait(current)?;
    Ok(())
}

fn main() {}
