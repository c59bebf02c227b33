// MODEL-15: a model that executes is run again when it was waited for.
use ascendcl::{BoundModel, Brand, Current, Error, Stream, stream::DefaultAllocator};

pub fn twice<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C, DefaultAllocator>,
    model: BoundModel<C>,
) -> Result<Vec<f32>, Error> {
    let mut model = stream.execute(current, model)?.wait(current)?;
    stream.run_bound(current, &mut model)?;
    model.read(current, 0)
}

fn main() {}
