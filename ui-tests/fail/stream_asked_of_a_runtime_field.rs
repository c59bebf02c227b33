// CTX-05: a service asks the context of its runtime for a stream.
use ascendcl::{Error, Runtime, Stream};

ascendcl::names!(Vision);

pub struct Service {
    runtime: Runtime<Vision>,
    streams: Vec<Stream<Vision>>,
}

impl Service {
    pub fn grow(&mut self) -> Result<(), Error> {
        let stream = self.runtime.stream()?;
        self.streams.push(stream);
        Ok(())
    }
}

fn main() {}
