// EVENT-05: the event of a struct is recorded before another stream waits for it.
use ascendcl::{Brand, Current, Error, Event, Stream, event::Unrecorded};

pub struct Stage<C: Brand> {
    pub stream: Stream<C>,
    pub done: Event<C, Unrecorded>,
}

pub fn order<C: Brand>(current: &Current<C>, first: &Stage<C>, second: &Stage<C>) -> Result<(), Error> {
    second.stream.wait_for(current, &first.done)
}

fn main() {}
