// GE-05: memory of the pool goes back to the system when the graph's stream was waited for.
use ascendcl_ge::{Graph, Loaded, Session, WithAllocator};
use ascendcl::operator::DeviceTensor;
use ascendcl::{Brand, Current, Error, allocator::PoolAllocator};

pub fn program<C: Brand>(
    session: &mut Session<C>,
    current: &Current<C>,
    mut graph: Graph<C, Loaded<WithAllocator<PoolAllocator>>>,
    images: DeviceTensor<C, f32>,
) -> Result<usize, Error> {
    let running = graph.execute(session, current, images)?;
    graph = running.wait(current)?.graph;
    let bytes = graph.idle(session, current)?.trim(current)?;
    Ok(bytes)
}

fn main() {}
