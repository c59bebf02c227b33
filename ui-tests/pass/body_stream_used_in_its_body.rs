// GRAPH-06: the stream of a body takes work of the body alone until the body has ended.
use ascendcl::capture::{Capture, Captured};
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Brand, DeviceBuffer, Error, Stream};

pub fn run<'g, C: Brand>(
    capture: &mut Capture<'g, C>,
    mut side: Stream<C, DefaultAllocator>,
    number: Captured<'g, DeviceBuffer<C, u32>>,
) -> Result<(), Error> {
    capture.run_if(&mut side, &number, |body| {
        body.launch_host_fn(0, |_| ())
    })?;
    give_away(side);
    Ok(())
}

pub fn give_away<C: Brand>(_: Stream<C, DefaultAllocator>) {}

fn main() {}
