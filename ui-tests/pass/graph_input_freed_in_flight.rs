// GE-20: inputs are freed when the execution was waited for.
use ascendcl_ge::{Compiled, Graph, Loaded, Session};
use ascendcl::operator::DeviceTensor;
use ascendcl::{Brand, Current, Error};

pub fn program<C: Brand>(
    session: &mut Session<C>,
    current: &Current<C>,
    graph: Graph<C, Loaded<Compiled>>,
    images: DeviceTensor<C, f32>,
) -> Result<(), Error> {
    let running = graph.execute(session, current, images)?;
    let done = running.wait(current)?;
    done.inputs.into_buffer().free(current)?;
    Ok(())
}

fn main() {}
