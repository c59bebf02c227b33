// MODEL-17: outputs are read after a synchronise only.
use ascendcl::{Brand, Current, Error, BoundModel, Stream, stream::DefaultAllocator};

fn classify<C: Brand>(current: &Current<C>, stream: &Stream<C, DefaultAllocator>, model: BoundModel<C>) -> Result<Vec<f32>, Error> {
    let running = stream.execute(current, model)?;
    running.read(current, 0)
}

fn main() {}
