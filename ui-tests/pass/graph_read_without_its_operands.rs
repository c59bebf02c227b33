// GRAPH-05: a graph lends what its tasks use.
use ascendcl::{BoundModel, Brand, Current, Error, capture::CapturedGraph};

pub fn scores<C: Brand>(current: &Current<C>, graph: &mut CapturedGraph<C, BoundModel<C>>) -> Result<Vec<f32>, Error> {
    graph.operands(current)?.read(current, 0)
}

fn main() {}
