// EVENT-05, EVENT-07: a stream records an event.
use ascendcl::{Brand, Current, Error, Stream};

pub fn milliseconds<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C>,
    work: impl FnOnce() -> Result<(), Error>,
) -> Result<(), Error> {
    let start = current.event()?;
    let start = stream.record(current, start)?;
    work()?;
    start.synchronize(current)
}

fn main() {}
