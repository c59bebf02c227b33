// STREAM-09: a helper says that its arguments are of one context.
use ascendcl::{Brand, Current, Error, Stream};

pub fn wait(current: &Current<impl Brand>, stream: &Stream<impl Brand>) -> Result<(), Error> {
    stream.synchronize(current)
}

fn main() {}
