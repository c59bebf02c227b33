// ERR-01: a stream that could not be destroyed comes back in the error; `anyhow` takes errors without values.
#![allow(unused_imports)]
use ascendcl::{OrDrop, Runtime, Stream};

ascendcl::names!(Vision);

pub fn destroyed(runtime: &Runtime<Vision>, stream: Stream<Vision>) -> anyhow::Result<()> {
    runtime.with(|current| stream.destroy(current))?.or_drop()?;
    Ok(())
}

fn main() {}
