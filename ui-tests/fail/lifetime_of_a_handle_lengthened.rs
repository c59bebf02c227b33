// CTX-10: a handle does not outlive its context by any detour.
use ascendcl::Stream;

pub fn lengthen<'long: 'short, 'short>(stream: Stream<'short>) -> Stream<'long> {
    stream
}

fn main() {}
