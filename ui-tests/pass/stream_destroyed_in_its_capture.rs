// STREAM-18: a stream that is being captured is not destroyed.
use ascendcl::capture::CaptureMode;
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream};

pub fn clear<C: Brand>(
    current: &mut Current<C>,
    mut stream: Stream<C, DefaultAllocator>,
    buffer: DeviceBuffer<C, u8>,
) -> Result<(), Error> {
    let graph = stream.capture(current, CaptureMode::Relaxed, buffer, |capture, mut buffer| {
        capture.set_bytes(&mut buffer, 0)
    })?;
    give_away(stream);
    drop(graph);
    Ok(())
}

pub fn give_away<C: Brand>(_: Stream<C, DefaultAllocator>) {}

fn main() {}
