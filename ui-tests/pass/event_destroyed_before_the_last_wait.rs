// EVENT-06: an event is destroyed after its last use.
use ascendcl::{Brand, Current, Error, Event, Stream, event::Recorded};

pub fn order<C: Brand>(current: &Current<C>, streams: &[Stream<C>], event: Event<C, Recorded>) -> Result<(), Error> {
    for stream in streams {
        stream.wait_for(current, &event)?;
    }
    event.destroy(current)?;
    Ok(())
}

fn main() {}
