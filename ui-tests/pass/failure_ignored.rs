// ERR-01: a transition that may fail is looked at.
#![deny(unused_must_use)]
use ascendcl::{Current, Error, Stream};

pub fn end<'c>(current: &Current<'c>, stream: Stream<'c>) -> Result<(), Error> {
    stream.destroy(current)?;
    Ok(())
}

fn main() {}
