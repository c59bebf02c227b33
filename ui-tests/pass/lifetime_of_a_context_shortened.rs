// STREAM-09: the lifetime of a context is its proof; a shorter one would be another context's.
use ascendcl::Current;

pub fn shorten<'r, 'long: 'short, 'short>(current: &'r Current<'long>) -> &'r Current<'long> {
    current
}

fn main() {}
