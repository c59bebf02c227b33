// CTX-05: a handler gets the proof of its context inside of `with`.
use ascendcl::{Error, Runtime, Stream};

ascendcl::names!(Vision);

pub fn handlers(runtime: &Runtime<Vision>, streams: Vec<Stream<Vision>>) -> Vec<impl FnOnce() -> Result<(), Error>> {
    streams
        .into_iter()
        .map(|stream| move || stream.synchronize(runtime.current()))
        .collect()
}

fn main() {}
