// GRAPH-08: conditions are part of captures; a build has switches.
use ascendcl::capture::GraphBuild;
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream};

pub fn conditional<C: Brand>(
    current: &Current<C>,
    build: &mut GraphBuild<C, DeviceBuffer<C, u32>>,
    side: &mut Stream<C, DefaultAllocator>,
) -> Result<(), Error> {
    let _ = &side;
    build.add(current, |tasks, number| tasks.run_if(side, &number, |body| body.launch_host_fn(0, |_| ())))
}

fn main() {}
