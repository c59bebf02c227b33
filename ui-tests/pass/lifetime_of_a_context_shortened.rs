// STREAM-09: the lifetime of a context is its proof; a shorter one would be another context's.
use ascendcl::{Current, Scoped};

pub fn shorten<'r, 'long: 'short, 'short>(current: &'r Current<Scoped<'long>>) -> &'r Current<Scoped<'long>> {
    current
}

fn main() {}
