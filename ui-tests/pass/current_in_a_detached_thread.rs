// THREAD-01: a thread that goes on by itself enters the runtime itself.
use ascendcl::{Current, Error, Runtime, Stream};
use std::sync::Arc;

ascendcl::names!(Vision);

pub fn start(runtime: Arc<Runtime<Vision>>, current: &'static Current<Vision>, stream: Stream<Vision>) {
    let _ = current;
    std::thread::spawn(move || wait(&runtime, &stream));
}

pub fn wait(runtime: &Runtime<Vision>, stream: &Stream<Vision>) -> Result<(), Error> {
    runtime.with(|current| stream.synchronize(current))?
}

fn main() {}
