// EVENT-02: without the flag for waits, streams cannot wait for an event.
use ascendcl::event::Waiting;
use ascendcl::{Brand, Current, Error, Stream};

fn order<C: Brand>(current: &Current<C>, first: &Stream<C>, second: &Stream<C>) -> Result<(), Error> {
    let event = first.record(current, current.event_for(Waiting)?)?;
    second.wait_for(current, &event)
}

fn main() {}
