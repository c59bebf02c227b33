// EVENT-05: the host or a stream waits for an event.
use ascendcl::{Brand, Current, Error, Event, event::Recorded};

pub fn all<C: Brand>(current: &Current<C>, events: &[Event<C, Recorded>]) -> Result<(), Error> {
    events.iter().try_for_each(|event| event.synchronize(current))
}

fn main() {}
