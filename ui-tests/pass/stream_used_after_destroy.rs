// STREAM-08: a destroyed stream is not used.
use ascendcl::{Current, Error, Stream};

pub fn end<'c>(current: &Current<'c>, stream: Stream<'c>) -> Result<(), Error> {
    stream.synchronize(current)?;
    stream.destroy(current)?;
    Ok(())
}

fn main() {}
