// STREAM-09: a stream is used while its own context is current.
use ascendcl::{Current, Error, Stream};

pub fn wait<'one, 'two>(one: &Current<'one>, two: &Current<'two>, stream: &Stream<'one>) -> Result<(), Error> {
    let _ = (one, two);
    stream.synchronize(one)
}

fn main() {}
