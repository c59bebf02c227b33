// THREAD-03: one thread at a time uses a stream, also behind a shared pointer.
use ascendcl::{Error, Runtime, Stream};
use std::sync::{Arc, Mutex};

ascendcl::names!(Vision);

pub fn start(runtime: Arc<Runtime<Vision>>, stream: Stream<Vision>, other: Mutex<Stream<Vision>>) {
    let shared = Arc::new((stream, other).0);
    for _ in 0..2 {
        let (runtime, shared) = (Arc::clone(&runtime), Arc::clone(&shared));
        std::thread::spawn(move || runtime.with(|current| wait(current, &shared)));
    }
}

pub fn wait(current: &ascendcl::Current<Vision>, stream: &Stream<Vision>) -> Result<(), Error> {
    stream.synchronize(current)
}

fn main() {}
