// STREAM-09: a helper says that its arguments are of one context.
use ascendcl::{Current, Error, Stream};

pub fn wait<'c>(current: &Current<'c>, stream: &Stream<'c>) -> Result<(), Error> {
    stream.synchronize(current)
}

fn main() {}
