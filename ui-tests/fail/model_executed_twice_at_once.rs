// MODEL-15: one model is not executed on two streams at the same time.
use ascendcl::{Brand, Current, Error, BoundModel, Stream, stream::DefaultAllocator};

fn twice<C: Brand>(
    current: &Current<C>,
    streams: (&Stream<C, DefaultAllocator>, &Stream<C, DefaultAllocator>),
    model: BoundModel<C>,
) -> Result<(), Error> {
    let first = streams.0.execute(current, model)?;
    let _still_in_flight = first;
    let second = streams.1.execute(current, model)?;
    second.wait(current)?;
    Ok(())
}

fn main() {}
