// CTX-10: a handle does not outlive its context by any detour.
use ascendcl::{Scoped, Stream};

pub fn lengthen<'long: 'short, 'short>(stream: Stream<Scoped<'short>>) -> Stream<Scoped<'short>> {
    stream
}

fn main() {}
