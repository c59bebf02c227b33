// MODEL-15: a model that executes on a stream is not run beside it.
use ascendcl::{Current, Error, BoundModel, Stream, stream::DefaultAllocator};

ascendcl::names!(Vision);

pub fn both(
    current: &mut Current<Vision>,
    stream: &Stream<Vision, DefaultAllocator>,
    model: BoundModel<Vision>,
) -> Result<(), Error> {
    let mut running = stream.execute(current, model)?;
    running.run(current)
}

fn main() {}
