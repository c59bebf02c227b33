// MODEL-15: a bound model executes once at a time; two streams need two of them.
use ascendcl::{BoundModel, Brand, Current, Error, Stream, stream::DefaultAllocator};

pub fn twice<C: Brand>(
    current: &Current<C>,
    streams: &[Stream<C, DefaultAllocator>; 2],
    model: BoundModel<C>,
) -> Result<(), Error> {
    let one = streams[0].execute(current, model.clone())?;
    let two = streams[1].execute(current, model)?;
    one.wait(current)?;
    two.wait(current)?;
    Ok(())
}

fn main() {}
