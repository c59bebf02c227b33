// GE-20: outputs are read, and inputs used again, when the execution was waited for.
use ascendcl_ge::{Compiled, Graph, Loaded, Session};
use ascendcl::operator::DeviceTensor;
use ascendcl::{Brand, Current, Error};

pub fn program<C: Brand>(
    session: &mut Session<C>,
    current: &Current<C>,
    graph: Graph<C, Loaded<Compiled>>,
    images: DeviceTensor<C, f32>,
) -> Result<Vec<f32>, Error> {
    let running = graph.execute(session, current, images)?;
    running.outputs.to_vec(current, 0)
}

fn main() {}
