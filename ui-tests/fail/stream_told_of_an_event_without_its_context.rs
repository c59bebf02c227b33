// EVENT-07: a stream waits for an event of its context.
use ascendcl::{Brand, Current, Error, Event, Stream, event::Recorded};

pub fn fan_out<C: Brand>(current: &Current<C>, streams: &[Stream<C>], ready: &Event<C, Recorded>) -> Result<(), Error> {
    for stream in streams {
        stream.wait_event(ready)?;
    }
    ready.synchronize(current)
}

fn main() {}
