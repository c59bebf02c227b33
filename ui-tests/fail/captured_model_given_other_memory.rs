// GRAPH-05: a replay uses the memory that was captured, which stays the graph's.
use ascendcl::capture::CapturedGraph;
use ascendcl::{BoundModel, Brand, Current, DeviceBuffer, Error};

pub fn give<C: Brand>(
    current: &Current<C>,
    mut graph: CapturedGraph<C, BoundModel<C>>,
    image: DeviceBuffer<C, f32>,
) -> Result<(), Error> {
    let mut model = graph.operands(current)?;
    let old: DeviceBuffer<C, f32> = model.exchange_input(current, 0, image)?;
    drop(old);
    Ok(())
}

fn main() {}
