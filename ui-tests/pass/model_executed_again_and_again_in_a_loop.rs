// MODEL-15: each turn of a loop waits for the execution of the one before.
use ascendcl::{Brand, Current, Error, BoundModel, Stream, stream::DefaultAllocator};

pub fn classify_all<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C, DefaultAllocator>,
    mut model: BoundModel<C>,
    images: &[Vec<f32>],
) -> Result<(), Error> {
    for image in images {
        model.write(current, 0, image)?;
        let running = stream.execute(current, model)?;
        model = running.wait(current)?;
    }
    Ok(())
}

fn main() {}
