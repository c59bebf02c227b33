// STREAM-09: a thread uses a stream while the stream's own context is current on it.
use ascendcl::{Error, Runtime, Stream};
use std::sync::Arc;
use std::thread::JoinHandle;

ascendcl::names!(Vision, Speech);

pub fn start(
    vision: Arc<Runtime<Vision>>,
    speech: Arc<Runtime<Speech>>,
    stream: Stream<Speech>,
) -> JoinHandle<Result<(), Error>> {
    std::thread::spawn(move || {
        let _ = (&vision, &speech);
        speech.with(|current| stream.synchronize(current))?
    })
}

fn main() {}
