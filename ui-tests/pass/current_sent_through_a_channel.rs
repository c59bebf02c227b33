// THREAD-01: a channel to another thread takes no `Current`.
use ascendcl::{Current, Error, Runtime, Stream};
use std::sync::mpsc::channel;

ascendcl::names!(Vision);

pub fn hand_over(runtime: &Runtime<Vision>, current: &Current<Vision>, stream: Stream<Vision>) {
    let (sender, receiver) = channel();
    let _ = sender.send((current.device_id(), stream));
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let (_device, stream): (_, Stream<Vision>) = receiver.recv().ok()?;
            wait(runtime, &stream).ok()
        });
    });
}

pub fn wait(runtime: &Runtime<Vision>, stream: &Stream<Vision>) -> Result<(), Error> {
    runtime.with(|current| stream.synchronize(current))?
}

fn main() {}
