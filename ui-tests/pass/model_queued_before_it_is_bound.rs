// MODEL-17: a model is bound to buffers before it is queued.
use ascendcl::{Brand, Current, Error, Model, Stream, stream::DefaultAllocator};

pub fn queue<C: Brand>(
    current: &Current<C>,
    streams: &[Stream<C, DefaultAllocator>],
    models: Vec<Model<C>>,
) -> Result<(), Error> {
    for (stream, model) in streams.iter().zip(models) {
        stream.execute(current, model.bind(current, &[&[1, 64]], &[&[1, 10]])?)?.wait(current)?;
    }
    Ok(())
}

fn main() {}
