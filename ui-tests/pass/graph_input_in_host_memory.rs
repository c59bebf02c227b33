// GE-19: inputs of a graph are tensors in device memory.
use ascendcl_ge::{Compiled, Graph, Loaded, Session};
use ascendcl::{Brand, Current, Error, HostBuffer};

pub fn program<C: Brand>(
    session: &mut Session<C>,
    current: &Current<C>,
    graph: Graph<C, Loaded<Compiled>>,
    images: HostBuffer<C, f32>,
) -> Result<(), Error> {
    let running = graph.execute(session, current, current.upload_tensor(&[1, 64], images.slice(current)?)?)?;
    running.wait(current)?;
    Ok(())
}

fn main() {}
