// STREAM-09: a stream that is kept is lent by the context that is current.
use ascendcl::raw::KeptStream;
use ascendcl::{Brand, Current, Error};

pub fn waits<C: Brand>(current: &Current<C>, kept: &KeptStream) -> Result<(), Error> {
    kept.lend(current)?.synchronize(current)
}

fn main() {}
