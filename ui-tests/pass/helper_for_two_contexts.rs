// STREAM-09: a helper says that its arguments are of one context.
use ascendcl::{Brand, Current, Error, Stream};

pub fn wait<C: Brand>(current: &Current<C>, stream: &Stream<C>) -> Result<(), Error> {
    stream.synchronize(current)
}

fn main() {}
