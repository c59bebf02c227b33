// STREAM-20: labels are set only on a stream that a graph is built on.
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream};

pub fn choose<C: Brand>(
    current: &mut Current<C>,
    stream: &mut Stream<C, DefaultAllocator>,
    operands: (DeviceBuffer<C, u32>, DeviceBuffer<C, u8>),
) -> Result<(), Error> {
    let mut build = current.build_graph(operands)?;
    build.add(current, |tasks, (index, mut bytes)| {
        tasks.switch(&index, 2, |tasks, case| tasks.set_bytes(&mut bytes, case as u8))
    })?;
    let graph = build.end(current)?;
    stream.replay(current, graph)?.wait(current)?;
    Ok(())
}

fn main() {}
