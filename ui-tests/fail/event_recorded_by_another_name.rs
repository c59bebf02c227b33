// EVENT-01: a stream records an event by `record`.
use ascendcl::{Brand, Current, Error, Stream};

pub fn marked<C: Brand>(current: &Current<C>, stream: &Stream<C>) -> Result<(), Error> {
    let event = current.event()?;
    stream.record_event(&event)?;
    Ok(())
}

fn main() {}
