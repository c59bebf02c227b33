// EVENT-07: an event is recorded on streams of its own context.
use ascendcl::{Current, Error, Stream};

ascendcl::names!(Vision, Speech);

pub fn mark(
    currents: (&Current<Vision>, &Current<Speech>),
    streams: &[Stream<Vision>],
) -> Result<(), Error> {
    for stream in streams {
        let event = currents.0.event()?;
        drop(stream.record(currents.0, event)?);
    }
    Ok(())
}

fn main() {}
