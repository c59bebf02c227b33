// GRAPH-06: what a branch used comes back to be used after the join.
use ascendcl::capture::{Capture, Captured};
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Brand, DeviceBuffer, Error, Stream};

pub fn clear<'g, C: Brand>(
    capture: &mut Capture<'g, C>,
    side: &mut Stream<C, DefaultAllocator>,
    buffer: Captured<'g, DeviceBuffer<C, u8>>,
) -> Result<Captured<'g, DeviceBuffer<C, u8>>, Error> {
    capture.fork(side, |capture, side| {
        let mut buffer = side.adopt_after(capture, buffer)?;
        side.set_bytes(&mut buffer, 0)?;
        Ok(buffer)
    })
}

fn main() {}
