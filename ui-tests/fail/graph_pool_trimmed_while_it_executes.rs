// GE-05: memory of the pool goes back to the system when the graph's stream was waited for.
use ascendcl::ge::{Graph, Loaded, Session, WithAllocator};
use ascendcl::operator::DeviceTensor;
use ascendcl::{Current, Error, PoolAllocator};

pub fn program<'c>(
    session: &mut Session<'c>,
    current: &Current<'c>,
    mut graph: Graph<'c, Loaded<WithAllocator<PoolAllocator>>>,
    images: DeviceTensor<'c, f32>,
) -> Result<usize, Error> {
    let running = graph.execute(session, current, images)?;
    let bytes = graph.idle(current)?.trim(current)?;
    running.wait(current)?;
    Ok(bytes)
}

fn main() {}
