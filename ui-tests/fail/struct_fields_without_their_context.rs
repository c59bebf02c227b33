// CTX-02: a struct says of which context its stream and its model are.
use ascendcl::{Model, Stream};

ascendcl::names!(Vision);

pub struct Worker {
    pub stream: Stream,
    pub model: Model,
}

fn main() {}
