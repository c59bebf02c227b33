// GRAPH-08: nothing is given to a graph after the end of its build.
use ascendcl::capture::{CapturedGraph, GraphBuild};
use ascendcl::{Brand, Current, DeviceBuffer, Error};

pub fn finish<C: Brand>(
    current: &Current<C>,
    mut build: GraphBuild<C, DeviceBuffer<C, u8>>,
) -> Result<CapturedGraph<C, DeviceBuffer<C, u8>>, Error> {
    build.add(current, |tasks, mut buffer| tasks.set_bytes(&mut buffer, 0))?;
    let graph = build.end(current)?;
    Ok(graph)
}

fn main() {}
