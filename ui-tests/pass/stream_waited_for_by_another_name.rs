// COPY-03: `synchronize` waits for a stream.
use ascendcl::{Brand, Current, Error, Stream};

pub fn rest<C: Brand>(current: &Current<C>, stream: &Stream<C>) -> Result<(), Error> {
    let _ = current;
    stream.synchronize(current)
}

fn main() {}
