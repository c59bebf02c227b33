// GRAPH-06: a second stream takes work of the capture alone until it has come back.
use ascendcl::capture::{Capture, Captured};
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Brand, DeviceBuffer, Error, Stream};

pub fn clear<'g, C: Brand>(
    capture: &mut Capture<'g, C>,
    mut side: Stream<C, DefaultAllocator>,
    buffer: Captured<'g, DeviceBuffer<C, u8>>,
) -> Result<(), Error> {
    capture.fork(&mut side, |capture, branch| {
        let mut buffer = branch.adopt_after(capture, buffer)?;
        branch.set_bytes(&mut buffer, 0)
    })?;
    give_away(side);
    Ok(())
}

pub fn give_away<C: Brand>(_: Stream<C, DefaultAllocator>) {}

fn main() {}
