// GRAPH-05: captured copies need pinned host memory.
use ascendcl::capture::CaptureMode;
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Brand, Current, Error, Stream};

pub fn nothing<C: Brand>(
    current: &mut Current<C>,
    stream: &mut Stream<C, DefaultAllocator>,
    images: Vec<f32>,
) -> Result<(), Error> {
    let _ = stream.capture(current, CaptureMode::Relaxed, images, |_, _| Ok(()));
    Ok(())
}

fn main() {}
