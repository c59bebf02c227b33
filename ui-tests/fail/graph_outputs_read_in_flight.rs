// GE-20: outputs are read, and inputs used again, when the execution was waited for.
use ascendcl::ge::{Compiled, Graph, Loaded, Session};
use ascendcl::operator::DeviceTensor;
use ascendcl::{Current, Error};

pub fn program<'c>(
    session: &mut Session<'c>,
    current: &Current<'c>,
    graph: Graph<'c, Loaded<Compiled>>,
    images: DeviceTensor<'c, f32>,
) -> Result<Vec<f32>, Error> {
    let running = graph.execute(session, current, images)?;
    running.outputs.to_vec(current, 0)
}

fn main() {}
