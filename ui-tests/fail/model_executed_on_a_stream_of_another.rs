// MODEL-01: a model executes on a stream of the context that it was loaded in.
use ascendcl::{BoundModel, Current, Error, Stream, stream::DefaultAllocator};

ascendcl::names!(Vision, Speech);

pub fn run(
    current: &Current<Vision>,
    stream: &Stream<Vision, DefaultAllocator>,
    models: (BoundModel<Vision>, BoundModel<Speech>),
) -> Result<(), Error> {
    stream.execute(current, models.1)?.wait(current)?;
    Ok(())
}

fn main() {}
