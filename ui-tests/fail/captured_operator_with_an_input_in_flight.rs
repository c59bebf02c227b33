// GRAPH-05: a graph owns what its tasks use, and no other work uses it.
use ascendcl::capture::CaptureMode;
use ascendcl::{Brand, Current, Error, Stream, operator, operator::DeviceTensor, stream::DefaultAllocator};

pub fn capture<C: Brand>(
    current: &mut Current<C>,
    stream: &mut Stream<C, DefaultAllocator>,
    x: DeviceTensor<C, f32>,
) -> Result<(), Error> {
    let y = stream.launch(current, operator::relu(current, x)?)?.into_outputs();
    let again = operator::relu(current, y)?;
    let graph = stream.capture(current, CaptureMode::Relaxed, again, |capture, mut again| capture.launch(&mut again))?;
    stream.replay(current, graph)?.wait(current)?;
    Ok(())
}

fn main() {}
