// GRAPH-02: threads capture on streams of their own, not into one capture.
use ascendcl::capture::Capture;
use ascendcl::{Brand, Error};

pub fn note<C: Brand>(capture: &mut Capture<'_, C>) -> Result<(), Error> {
    let add = |capture: &mut Capture<'_, C>| capture.launch_host_fn((), |()| ());
    add(capture)
}

fn main() {}
