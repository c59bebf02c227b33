// DATA-10: the inputs of a queued model stay as they are until its stream was synchronised.
use ascendcl::{Brand, Current, Error, BoundModel, Stream, stream::DefaultAllocator};

pub fn classify<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C, DefaultAllocator>,
    mut model: BoundModel<C>,
    image: &[f32],
) -> Result<(), Error> {
    let running = stream.execute(current, model)?;
    model = running.wait(current)?;
    model.write(current, 0, image)
}

fn main() {}
