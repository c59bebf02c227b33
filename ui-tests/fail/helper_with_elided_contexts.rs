// STREAM-09: a helper says that its arguments are of one context.
use ascendcl::{Current, Error, Scoped, Stream};

pub fn wait(current: &Current<Scoped<'_>>, stream: &Stream<Scoped<'_>>) -> Result<(), Error> {
    stream.synchronize(current)
}

fn main() {}
