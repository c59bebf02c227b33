// MODEL-15: a bound model executes once at a time; two streams need two of them.
use ascendcl::{BoundModel, Brand, Current, Error, Stream, stream::DefaultAllocator};

pub fn twice<C: Brand>(
    current: &Current<C>,
    streams: &[Stream<C, DefaultAllocator>; 2],
    models: [BoundModel<C>; 2],
) -> Result<(), Error> {
    let [first, second] = models;
    let one = streams[0].execute(current, first)?;
    let two = streams[1].execute(current, second)?;
    one.wait(current)?;
    two.wait(current)?;
    Ok(())
}

fn main() {}
