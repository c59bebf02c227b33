// MODEL-15: one model is not executed on two streams at the same time.
use ascendcl::{Current, Error, Plain, Prepared, Stream};

fn twice<'c>(
    current: &Current<'c>,
    streams: (&Stream<'c, Plain>, &Stream<'c, Plain>),
    model: Prepared<'c>,
) -> Result<(), Error> {
    let first = streams.0.execute(current, model)?;
    let _still_in_flight = first;
    let second = streams.1.execute(current, model)?;
    second.wait(current)?;
    Ok(())
}

fn main() {}
