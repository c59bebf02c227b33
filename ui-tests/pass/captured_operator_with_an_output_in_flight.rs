// GRAPH-05: a graph owns what its tasks use, and no other work uses it.
use ascendcl::capture::CaptureMode;
use ascendcl::operator::{self, DeviceTensor, Operator};
use ascendcl::{Brand, Current, Error, Stream, stream::DefaultAllocator};

pub fn capture<C: Brand>(
    current: &mut Current<C>,
    stream: &mut Stream<C, DefaultAllocator>,
    [x, next]: [DeviceTensor<C, f32>; 2],
) -> Result<(), Error> {
    let y = stream.launch(current, operator::relu(current, x)?)?.into_outputs();
    let again = Operator::new("Relu").bind(current, next, y.wait(current)?)?;
    let graph = stream.capture(current, CaptureMode::Relaxed, again, |capture, mut again| capture.launch(&mut again))?;
    stream.replay(current, graph)?.wait(current)?;
    Ok(())
}

fn main() {}
