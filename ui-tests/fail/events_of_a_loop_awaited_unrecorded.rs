// EVENT-05: a stream waits for events that were recorded, for all of a list.
use ascendcl::{Brand, Current, Error, Event, Stream};

pub fn after_all<C: Brand>(current: &Current<C>, stream: &Stream<C>, events: &[Event<C>]) -> Result<(), Error> {
    for event in events {
        stream.wait_for(current, event)?;
    }
    Ok(())
}

fn main() {}
