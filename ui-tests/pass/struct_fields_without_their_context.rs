// CTX-02: a struct says of which context its stream and its model are.
use ascendcl::{Model, Stream};

ascendcl::names!(Vision);

pub struct Worker {
    pub stream: Stream<Vision>,
    pub model: Model<Vision>,
}

fn main() {}
