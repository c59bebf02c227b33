// ALLOC-05: a helper that executes says that the allocators of its streams are decided.
use ascendcl::{BoundModel, Brand, Current, Error, Stream, stream::StreamState};

pub fn run<C: Brand, S: StreamState>(
    current: &Current<C>,
    stream: &Stream<C, S>,
    model: BoundModel<C>,
) -> Result<BoundModel<C>, Error> {
    Ok(stream.execute(current, model)?.wait(current)?)
}

fn main() {}
