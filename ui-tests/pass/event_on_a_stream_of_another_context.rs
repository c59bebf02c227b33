// EVENT-07: event and stream are of one context, and so of one device.
use ascendcl::{Current, Error, Event, Scoped, Stream, stream::Undecided, event::Unrecorded};

ascendcl::names! { pub Vision, pub Speech }

pub fn record<'v, 's>(
    vision: &Current<Scoped<'v, Vision>>,
    stream: &Stream<Scoped<'v, Vision>, Undecided>,
    seen: Event<Scoped<'v, Vision>, Unrecorded>,
    heard: Event<Scoped<'s, Speech>, Unrecorded>,
) -> Result<(), Error> {
    let _ = (&seen, &heard);
    let _recorded = stream.record(vision, seen)?;
    Ok(())
}

fn main() {}
