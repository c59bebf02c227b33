// EVENT-07: event and stream are of one context, and so of one device.
use ascendcl::{Current, Error, Event, Fresh, Stream, Unrecorded};

ascendcl::names! { pub Vision, pub Speech }

pub fn record<'v, 's>(
    vision: &Current<'v, Vision>,
    stream: &Stream<'v, Fresh, Vision>,
    seen: Event<'v, Unrecorded, Vision>,
    heard: Event<'s, Unrecorded, Speech>,
) -> Result<(), Error> {
    let _ = (&seen, &heard);
    let _recorded = stream.record(vision, seen)?;
    Ok(())
}

fn main() {}
