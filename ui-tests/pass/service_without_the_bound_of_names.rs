// CTX-02: a service for every runtime says that its parameter is a name.
use ascendcl::{Name, Runtime, Stream};

pub struct Service<N: Name> {
    pub runtime: Runtime<N>,
    pub stream: Stream<N>,
}

fn main() {}
