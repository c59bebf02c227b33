// THREAD-01: a channel to another thread takes no `Current`.
use ascendcl::{Current, Error, Runtime, Stream};
use std::sync::mpsc::channel;

ascendcl::names!(Vision);

pub fn hand_over(runtime: &Runtime<Vision>, current: &Current<Vision>, stream: Stream<Vision>) {
    let (sender, receiver) = channel();
    let _ = sender.send((current, stream));
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let (current, stream): (_, Stream<Vision>) = receiver.recv().ok()?;
            stream.synchronize(current).ok().and(wait(runtime, &stream).ok())
        });
    });
}

pub fn wait(runtime: &Runtime<Vision>, stream: &Stream<Vision>) -> Result<(), Error> {
    runtime.with(|current| stream.synchronize(current))?
}

fn main() {}
