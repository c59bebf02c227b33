// GRAPH-09: the graph owns the operators of an update.
use ascendcl::capture::{CapturedGraph, TaskGroup};
use ascendcl::operator::{BoundOperator, DeviceTensor};
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Brand, Current, Error, Stream};

type Op<C> = BoundOperator<C, DeviceTensor<C, f32>, DeviceTensor<C, f32>>;

pub fn exchange<C: Brand>(
    current: &mut Current<C>,
    stream: &mut Stream<C, DefaultAllocator>,
    graph: CapturedGraph<C, Op<C>>,
    group: &TaskGroup<C, ((), Op<C>)>,
    other: Op<C>,
) -> Result<(), Error> {
    let mut other = other;
    let updated = stream.update(current, graph, group, |tasks, _| tasks.launch(&mut other))?;
    drop(updated);
    Ok(())
}

fn main() {}
