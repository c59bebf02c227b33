// GRAPH-09: a graph is updated between replays.
use ascendcl::capture::{CapturedGraph, TaskGroup};
use ascendcl::operator::{BoundOperator, DeviceTensor};
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Brand, Current, Error, Stream};

type Op<C> = BoundOperator<C, DeviceTensor<C, f32>, DeviceTensor<C, f32>>;

pub fn exchange<C: Brand>(
    current: &mut Current<C>,
    stream: &mut Stream<C, DefaultAllocator>,
    graph: CapturedGraph<C, (Op<C>, Op<C>)>,
    group: &TaskGroup<C, ((), Op<C>)>,
) -> Result<(), Error> {
    let replay = stream.replay(current, graph)?;
    let graph = replay.wait(current)?;
    let updated = stream.update(current, graph, group, |tasks, (_, mut second)| tasks.launch(&mut second))?;
    drop(updated);
    Ok(())
}

fn main() {}
