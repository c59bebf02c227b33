// ALLOC-13: a model executes on a stream whose allocator is decided, which the default stream cannot be.
use ascendcl::{Brand, Current, Error, BoundModel};

pub fn classify<C: Brand>(current: &Current<C>, model: BoundModel<C>) -> Result<Vec<f32>, Error> {
    let stream = current.default_stream();
    let running = stream.execute(current, model)?;
    running.wait(current)?.read(current, 0)
}

fn main() {}
