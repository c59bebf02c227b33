// GRAPH-06: the branches of a capture are on streams of the program.
use ascendcl::capture::Capture;
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Brand, Error, Stream};

pub fn branched<C: Brand>(capture: &mut Capture<'_, C>, side: &mut Stream<C, DefaultAllocator>) -> Result<(), Error> {
    let _ = &side;
    capture.fork(side, |_, side| side.launch_host_fn(0, |_| ()))
}

fn main() {}
