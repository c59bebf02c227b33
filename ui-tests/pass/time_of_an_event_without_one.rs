// EVENT-04: elapsed time needs two events that have a time.
use ascendcl::event::Timing;
use ascendcl::{Brand, Current, Error, Stream};

fn measure<C: Brand>(current: &Current<C>, stream: &Stream<C>) -> Result<f32, Error> {
    let start = stream.record(current, current.event_for(Timing)?)?;
    let end = stream.record(current, current.event_for(Timing)?)?;
    end.milliseconds_since(current, &start)
}

fn main() {}
