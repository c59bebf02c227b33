// GRAPH-05: a graph owns what its tasks write, and no other work uses it.
use ascendcl::capture::CaptureMode;
use ascendcl::operator::{self, DeviceTensor};
use ascendcl::{Brand, Current, Error, HostBuffer, Stream, stream::DefaultAllocator};

pub fn capture<C: Brand>(
    current: &mut Current<C>,
    stream: &mut Stream<C, DefaultAllocator>,
    (x, input): (DeviceTensor<C, f32>, HostBuffer<C, f32>),
) -> Result<(), Error> {
    let y = stream.launch(current, operator::relu(current, x)?)?.into_outputs().wait(current)?;
    let again = operator::relu(current, y)?;
    let graph = stream.capture(current, CaptureMode::Relaxed, (input, again), |capture, (input, mut again)| {
        capture.copy_to_input(&input, &mut again, 0)
    })?;
    stream.replay(current, graph)?.wait(current)?;
    Ok(())
}

fn main() {}
