// DEV-01: events are made in a context.
use ascendcl::{Brand, Current, Error, Event, Stream};

pub fn mark<C: Brand>(current: &Current<C>, stream: &Stream<C>) -> Result<(), Error> {
    let event = stream.record(current, Event::new()?)?;
    event.synchronize(current)
}

fn main() {}
