// GRAPH-09: an update has as many tasks as the group.
use ascendcl::capture::{CapturedGraph, TaskGroup};
use ascendcl::operator::{BoundOperator, DeviceTensor};
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Brand, Current, Error, Stream};

type Op<C> = BoundOperator<C, DeviceTensor<C, f32>, DeviceTensor<C, f32>>;

pub fn exchange<C: Brand>(
    current: &mut Current<C>,
    stream: &mut Stream<C, DefaultAllocator>,
    graph: CapturedGraph<C, (Op<C>, Op<C>)>,
    group: &TaskGroup<C, (((), Op<C>), Op<C>)>,
) -> Result<(), Error> {
    let updated = stream.update(current, graph, group, |tasks, (mut first, mut second)| {
        tasks.launch(&mut second).launch(&mut first)
    })?;
    drop(updated);
    Ok(())
}

fn main() {}
