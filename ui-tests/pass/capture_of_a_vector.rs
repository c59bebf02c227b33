// GRAPH-05: captured copies need pinned host memory.
use ascendcl::capture::CaptureMode;
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Brand, Current, Error, Stream};

pub fn nothing<C: Brand>(
    current: &mut Current<C>,
    stream: &mut Stream<C, DefaultAllocator>,
    images: Vec<f32>,
) -> Result<(), Error> {
    let pinned = current.host_buffer::<f32>(images.len())?;
    let _ = stream.capture(current, CaptureMode::Relaxed, pinned, |_, _| Ok(()));
    Ok(())
}

fn main() {}
