// MODEL-17: that an execution was queued does not say that it is over.
use ascendcl::{BoundModel, Brand, Current, Error, Stream, stream::DefaultAllocator};

pub fn scores<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C, DefaultAllocator>,
    model: BoundModel<C>,
) -> Result<Vec<f32>, Error> {
    match stream.execute(current, model) {
        Ok(running) => running.wait(current)?.read(current, 0),
        Err(failed) => Err(failed.error),
    }
}

fn main() {}
