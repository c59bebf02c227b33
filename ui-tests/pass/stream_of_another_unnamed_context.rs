// STREAM-09: a stream is used while its own context is current.
use ascendcl::{Current, Error, Scoped, Stream};

pub fn wait<'one, 'two>(
    one: &Current<Scoped<'one>>,
    two: &Current<Scoped<'two>>,
    stream: &Stream<Scoped<'one>>,
) -> Result<(), Error> {
    let _ = (one, two);
    stream.synchronize(one)
}

fn main() {}
