// EVENT-09: an event that somebody is about to wait for is not recorded again.
use ascendcl::{Current, Error, Event, Recorded, Stream};

pub fn again<'c>(current: &Current<'c>, stream: &Stream<'c>, event: Event<'c, Recorded>) -> Result<(), Error> {
    let first = &event;
    stream.synchronize(current)?;
    first.synchronize(current)?;
    drop(event);
    Ok(())
}

fn main() {}
