// GRAPH-07: one replay of a graph runs at a time.
use ascendcl::{BoundModel, Brand, Current, Error, Stream, capture::CapturedGraph};

pub fn both<C: Brand>(
    current: &Current<C>,
    streams: [&Stream<C>; 2],
    graph: CapturedGraph<C, BoundModel<C>>,
) -> Result<(), Error> {
    let [first, second] = streams;
    let graph = first.replay(current, graph.clone())?.wait(current)?;
    second.replay(current, graph)?.wait(current)?;
    Ok(())
}

fn main() {}
