// STREAM-08: a closure that destroys its stream runs once.
use ascendcl::{Brand, Current, Error, Stream};

pub fn end<C: Brand>(current: &Current<C>, stream: Stream<C>) -> Result<(), Error> {
    let end = || stream.destroy(current);
    end()?;
    Ok(())
}

fn main() {}
