// GRAPH-05: a graph keeps the memory that its tasks got from an allocator, but not that of C functions.
use ascendcl::capture::{Capture, CaptureMode, Captured};
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream, stream};

fn clear<'g, C: Brand>(capture: &mut Capture<'g, C>, mut buffer: Captured<'g, DeviceBuffer<C, u8>>) -> Result<(), Error> {
    capture.set_bytes(&mut buffer, 0)
}

pub fn captured<C: Brand>(
    current: &mut Current<C>,
    mut stream: Stream<C, stream::RawAllocator>,
    buffer: DeviceBuffer<C, u8>,
) -> Result<(), Error> {
    let _ = stream.capture(current, CaptureMode::Relaxed, buffer, clear);
    Ok(())
}

fn main() {}
