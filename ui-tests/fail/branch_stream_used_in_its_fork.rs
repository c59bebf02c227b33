// GRAPH-06: a second stream takes work of the capture alone until it has come back.
use ascendcl::capture::{Capture, Captured};
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Brand, DeviceBuffer, Error, Stream};

pub fn fork_twice<'g, C: Brand>(
    capture: &mut Capture<'g, C>,
    side: &mut Stream<C, DefaultAllocator>,
    buffer: Captured<'g, DeviceBuffer<C, u8>>,
) -> Result<(), Error> {
    capture.fork(side, |capture, first| {
        let mut buffer = first.adopt_after(capture, buffer)?;
        capture.fork(side, |_, _| Ok(()))?;
        first.set_bytes(&mut buffer, 0)
    })
}

fn main() {}
