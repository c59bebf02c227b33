// GE-22: memory that was set makes an allocator ineffective: a graph has the one or the other.
use ascendcl::ge::{Compiled, Graph, Session};
use ascendcl::{Current, DeviceAllocator, DeviceBuffer, Error, Stream};

pub fn program<'c, A: DeviceAllocator>(
    session: &mut Session<'c>,
    current: &Current<'c>,
    graph: Graph<'c, Compiled>,
    memory: [DeviceBuffer<'c, u8>; 2],
    stream: Stream<'c>,
    allocator: A,
) -> Result<(), Error> {
    let [constants, features] = memory;
    let graph = graph.set_memory(session, current, constants, features)?;
    let graph = graph.register(session, current, stream, allocator)?;
    drop(graph);
    Ok(())
}

fn main() {}
