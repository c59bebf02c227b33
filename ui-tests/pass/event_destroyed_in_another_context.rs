// EVENT-07: an event is destroyed while its own context is current.
use ascendcl::{Error, Event, Runtime, event::Recorded};

ascendcl::names!(Vision, Speech);

pub fn end(runtimes: (&Runtime<Vision>, &Runtime<Speech>), event: Event<Vision, Recorded>) -> Result<(), Error> {
    let destroyed = runtimes.0.with(|current| event.destroy(current))?;
    Ok(destroyed?)
}

fn main() {}
