// COPY-03: a stream is waited for by `synchronize`.
use ascendcl::{Brand, Current, Error, Stream};

pub fn rest<C: Brand>(current: &Current<C>, stream: &Stream<C>) -> Result<(), Error> {
    let _ = current;
    stream.sync()
}

fn main() {}
