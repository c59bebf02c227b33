// STREAM-08: a destroyed stream is not used.
use ascendcl::{Brand, Current, Error, Stream};

pub fn end<C: Brand>(current: &Current<C>, stream: Stream<C>) -> Result<(), Error> {
    stream.synchronize(current)?;
    stream.destroy(current)?;
    Ok(())
}

fn main() {}
