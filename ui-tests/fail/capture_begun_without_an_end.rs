// GRAPH-01, GRAPH-02: a capture is a closure.
use ascendcl::{BoundModel, Brand, Current, Error, Stream};
use ascendcl::{capture::CaptureMode, stream::DefaultAllocator};

pub fn record<C: Brand>(
    current: &mut Current<C>,
    stream: &mut Stream<C, DefaultAllocator>,
    model: BoundModel<C>,
) -> Result<(), Error> {
    let mode = CaptureMode::ThreadLocal;
    stream.begin_capture()?; stream.execute(current, model)?; stream.end_capture()?;
    drop(mode);
    Ok(())
}

fn main() {}
