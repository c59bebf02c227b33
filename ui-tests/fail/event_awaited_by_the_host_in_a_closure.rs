// EVENT-05: the host, too, waits for a recorded event: for another one it would not wait at all.
use ascendcl::{Brand, Current, Error, Stream};

pub fn ready<C: Brand>(current: &Current<C>, stream: &Stream<C>) -> Result<(), Error> {
    let event = current.event()?;
    let wait = || event.synchronize(current);
    let _ = stream;
    wait()
}

fn main() {}
