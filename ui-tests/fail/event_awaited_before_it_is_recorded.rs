// EVENT-05: waiting is only meaningful for an event that was recorded.
use ascendcl::{Current, Error, Stream};

fn order<'c>(current: &Current<'c>, first: &Stream<'c>, second: &Stream<'c>) -> Result<(), Error> {
    let event = current.event()?;
    let _ = first;
    second.wait_for(current, &event)
}

fn main() {}
