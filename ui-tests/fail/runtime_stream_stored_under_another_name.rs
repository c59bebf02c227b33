// STREAM-09: a stream that a struct stores has the name of its own context.
use ascendcl::{Error, Runtime, Stream};

ascendcl::names!(Vision, Speech);

pub struct Worker {
    pub stream: Stream<Speech>,
}

pub fn worker(vision: &Runtime<Vision>) -> Result<Worker, Error> {
    vision.with(|current| Ok(Worker { stream: current.stream()? }))?
}

pub type Other = Runtime<Speech>;

fn main() {}
