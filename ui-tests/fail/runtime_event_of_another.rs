// EVENT-07: a stream waits for events of its own context.
use ascendcl::{Current, Error, Event, Stream, event::Recorded};

ascendcl::names!(Vision, Speech);

pub fn after(
    current: &Current<Vision>,
    stream: &Stream<Vision>,
    events: (&Event<Vision, Recorded>, &Event<Speech, Recorded>),
) -> Result<(), Error> {
    stream.wait_for(current, events.1)
}

fn main() {}
