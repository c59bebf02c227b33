// GRAPH-07: a stream replays a graph.
use ascendcl::{BoundModel, Brand, Current, Error, Stream, capture::CapturedGraph};

pub fn steps<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C>,
    mut graph: CapturedGraph<C, BoundModel<C>>,
    count: usize,
) -> Result<CapturedGraph<C, BoundModel<C>>, Error> {
    for _ in 0..count {
        graph = stream.replay(current, graph)?.wait(current)?;
    }
    stream.synchronize(current)?;
    graph.take_panic().map_or(Ok(graph), Err)
}

fn main() {}
