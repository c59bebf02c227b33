// ERR-01: a transition that may fail is looked at.
#![deny(unused_must_use)]
use ascendcl::{Brand, Current, Error, Stream};

pub fn end<C: Brand>(current: &Current<C>, stream: Stream<C>) -> Result<(), Error> {
    stream.destroy(current)?;
    Ok(())
}

fn main() {}
