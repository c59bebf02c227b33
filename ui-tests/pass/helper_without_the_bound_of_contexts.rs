// CTX-02: a helper for every context says that its parameter is one.
use ascendcl::{Brand, Current, Error, Stream};

pub fn wait<C: Brand>(current: &Current<C>, stream: &Stream<C>) -> Result<(), Error> {
    stream.synchronize(current)
}

pub fn is_context<C: Brand>() {}

fn main() {}
