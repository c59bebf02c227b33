// STREAM-20: labels are set only on a stream that a graph is built on.
use ascendcl::capture::CaptureMode;
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream};

pub fn choose<C: Brand>(
    current: &mut Current<C>,
    stream: &mut Stream<C, DefaultAllocator>,
    operands: (DeviceBuffer<C, u32>, DeviceBuffer<C, u8>),
) -> Result<(), Error> {
    let graph = stream.capture(current, CaptureMode::Relaxed, operands, |tasks, (index, mut bytes)| {
        tasks.switch(&index, 2, |tasks, case| tasks.set_bytes(&mut bytes, case as u8))
    })?;
    stream.replay(current, graph)?.wait(current)?;
    Ok(())
}

fn main() {}
