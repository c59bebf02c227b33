// GRAPH-06: memory of another branch is taken over first.
use ascendcl::capture::{Capture, Captured};
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Brand, DeviceBuffer, Error, Stream};

pub fn clear<'g, C: Brand>(
    capture: &mut Capture<'g, C>,
    side: &mut Stream<C, DefaultAllocator>,
    mut buffer: Captured<'g, DeviceBuffer<C, u8>>,
) -> Result<(), Error> {
    capture.fork(side, |_capture, side| {
        side.set_bytes(&mut buffer, 0)
    })
}

fn main() {}
