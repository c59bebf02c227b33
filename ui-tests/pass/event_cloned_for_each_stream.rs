// EVENT-06: streams that wait for an event borrow it.
use ascendcl::{Brand, Current, Error, Event, Stream, event::Recorded};

pub fn all<C: Brand>(current: &Current<C>, streams: &[Stream<C>], event: Event<C, Recorded>) -> Result<(), Error> {
    streams.iter().try_for_each(|stream| stream.wait_for(current, &event))
}

fn main() {}
