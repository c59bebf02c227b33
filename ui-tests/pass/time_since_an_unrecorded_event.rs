// EVENT-04: the time between two events is that between two recorded points.
use ascendcl::{Brand, Current, Error, Stream};

pub fn time<C: Brand>(current: &Current<C>, stream: &Stream<C>, work: impl FnOnce()) -> Result<f32, Error> {
    let start = current.event()?;
    let start = stream.record(current, start)?;
    work();
    let end = stream.record(current, current.event()?)?;
    stream.synchronize(current)?;
    end.milliseconds_since(current, &start)
}

fn main() {}
