// GRAPH-05: a graph keeps the memory of its stream's allocator, which has to be decided before.
use ascendcl::capture::{Capture, CaptureMode, Captured};
use ascendcl::{Brand, Current, DeviceBuffer, Error};

fn clear<'g, C: Brand>(capture: &mut Capture<'g, C>, mut buffer: Captured<'g, DeviceBuffer<C, u8>>) -> Result<(), Error> {
    capture.set_bytes(&mut buffer, 0)
}

pub fn captured<C: Brand>(current: &mut Current<C>, buffer: DeviceBuffer<C, u8>) -> Result<(), Error> {
    let mut stream = current.stream()?;
    let _ = stream.capture(current, CaptureMode::Relaxed, buffer, clear);
    Ok(())
}

fn main() {}
