// GRAPH-08: a graph that is built has one stream, which is its own.
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream};

pub fn build<C: Brand>(
    current: &Current<C>,
    side: &mut Stream<C, DefaultAllocator>,
    buffer: DeviceBuffer<C, u8>,
) -> Result<(), Error> {
    let mut build = current.build_graph(buffer)?;
    build.add(current, |tasks, mut buffer| tasks.set_bytes(&mut buffer, 0))?;
    drop((build.end(current)?, side));
    Ok(())
}

fn main() {}
