// CTX-05: a future keeps no proof that a context is current.
use ascendcl::{Error, Runtime, Stream};

ascendcl::names!(Vision);

pub async fn synchronized(runtime: &Runtime<Vision>, stream: &Stream<Vision>) -> Result<(), Error> {
    runtime.with(|current| stream.synchronize(current))?
}

fn main() {}
