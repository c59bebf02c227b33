// EVENT-09: an event that somebody is about to wait for is not recorded again.
use ascendcl::{Brand, Current, Error, Event, Stream, event::Recorded};

pub fn again<C: Brand>(current: &Current<C>, stream: &Stream<C>, event: Event<C, Recorded>) -> Result<(), Error> {
    let first = &event;
    let event = stream.record(current, event)?;
    first.synchronize(current)?;
    drop(event);
    Ok(())
}

fn main() {}
