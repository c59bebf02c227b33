// GE-22: memory that was set makes an allocator ineffective: a graph has the one or the other.
use ascendcl_ge::{Compiled, Graph, Session};
use ascendcl::{Brand, Current, DeviceAllocator, DeviceBuffer, Error, Stream};

pub fn program<C: Brand, A: DeviceAllocator>(
    session: &mut Session<C>,
    current: &Current<C>,
    graph: Graph<C, Compiled>,
    memory: [DeviceBuffer<C, u8>; 2],
    stream: Stream<C>,
    allocator: A,
) -> Result<(), Error> {
    let [constants, features] = memory;
    let graph = graph.set_memory(session, current, constants, features)?;
    let graph = graph.load_on(session, current, stream)?;
    drop((graph, allocator));
    Ok(())
}

fn main() {}
