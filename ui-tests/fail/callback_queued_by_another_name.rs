// CB-01: a stream calls a function of the host by one method.
use ascendcl::{Brand, Current, Error, Stream};
use std::sync::mpsc::Sender;

pub fn tell<C: Brand>(current: &Current<C>, stream: &Stream<C>, done: Sender<usize>) -> Result<(), Error> {
    for step in 0..4 {
        let done = done.clone();
        stream.add_callback(move || drop(done.send(step)))?;
    }
    stream.synchronize(current)
}

fn main() {}
