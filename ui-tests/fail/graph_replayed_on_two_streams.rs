// GRAPH-07: one replay of a graph at a time.
use ascendcl::capture::CapturedGraph;
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream};

pub fn twice<C: Brand>(
    current: &Current<C>,
    (first, second): (&Stream<C, DefaultAllocator>, &Stream<C, DefaultAllocator>),
    graph: CapturedGraph<C, DeviceBuffer<C, u8>>,
) -> Result<(), Error> {
    let one = first.replay(current, graph)?;
    let two = second.replay(current, graph)?;
    drop((one, two));
    Ok(())
}

fn main() {}
