// DEV-04, STREAM-02: the default stream is not destroyed by hand.
use ascendcl::{Brand, Current, Error};

fn finish<C: Brand>(current: &Current<C>) -> Result<(), Error> {
    let stream = current.default_stream();
    stream.destroy(current)?;
    Ok(())
}

fn main() {}
