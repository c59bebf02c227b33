// DEV-04, STREAM-02: the default stream is not destroyed by hand.
use ascendcl::{Current, Error};

fn finish<'c>(current: &Current<'c>) -> Result<(), Error> {
    let stream = current.default_stream();
    stream.destroy(current)?;
    Ok(())
}

fn main() {}
