// MODEL-17: the outputs of each batch are read after a synchronise.
use ascendcl::{BoundModel, Brand, Current, Error, Stream, stream::DefaultAllocator};

pub fn scores<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C, DefaultAllocator>,
    models: Vec<BoundModel<C>>,
) -> Result<Vec<Vec<f32>>, Error> {
    let mut scores = Vec::new();
    for model in models {
        let running = stream.execute(current, model)?;
        scores.push(running.wait(current)?.read(current, 0)?);
    }
    Ok(scores)
}

fn main() {}
