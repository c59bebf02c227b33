// STREAM-09: a `KeptStream` gives its stream by `lend`, in the context that is current.
use ascendcl::raw::KeptStream;
use ascendcl::{Brand, Current, Error};

pub fn waits<C: Brand>(current: &Current<C>, kept: &KeptStream) -> Result<(), Error> {
    kept.lend(current)?.synchronize(current)
}

fn main() {}
