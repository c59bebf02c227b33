// MODEL-17: a stream executes a bound model.
use ascendcl::{BoundModel, Brand, Current, Error, Stream, stream::DefaultAllocator};

pub fn steps<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C, DefaultAllocator>,
    mut model: BoundModel<C>,
) -> Result<Vec<f32>, Error> {
    for step in 0..8_u8 {
        model.write(current, 0, &[f32::from(step)])?;
        model = stream.execute(current, model)?.wait(current)?;
    }
    stream.synchronize(current)?;
    model.read(current, 0)
}

fn main() {}
