// EVENT-05: waiting is only meaningful for an event that was recorded.
use ascendcl::{Brand, Current, Error, Stream};

fn order<C: Brand>(current: &Current<C>, first: &Stream<C>, second: &Stream<C>) -> Result<(), Error> {
    let event = current.event()?;
    let _ = first;
    second.wait_for(current, &event)
}

fn main() {}
