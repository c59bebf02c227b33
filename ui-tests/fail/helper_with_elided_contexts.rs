// STREAM-09: a helper says that its arguments are of one context.
use ascendcl::{Current, Error, Stream};

pub fn wait(current: &Current<'_>, stream: &Stream<'_>) -> Result<(), Error> {
    stream.synchronize(current)
}

fn main() {}
