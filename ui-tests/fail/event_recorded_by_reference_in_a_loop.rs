// EVENT-09: an event is not recorded again while a stream may still wait for it.
use ascendcl::{Brand, Current, Error, Event, Stream, event::Recorded};

pub fn pump<C: Brand>(
    current: &Current<C>,
    writes: &Stream<C>,
    reads: &Stream<C>,
    event: &Event<C, Recorded>,
) -> Result<(), Error> {
    let _ = event;
    for _ in 0..2 {
        let event = writes.record(current, event)?;
        reads.wait_for(current, &event)?;
    }
    Ok(())
}

fn main() {}
