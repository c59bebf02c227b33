// STREAM-06: a stream is destroyed while its own context is current.
use ascendcl::{Current, Error, Fresh, Stream};

ascendcl::names! { pub Vision, pub Speech }

pub fn finish<'v, 's>(
    vision: &Current<'v, Vision>,
    speech: &Current<'s, Speech>,
    stream: Stream<'v, Fresh, Vision>,
) -> Result<(), Error> {
    let _ = (vision, speech);
    stream.destroy(vision)?;
    Ok(())
}

fn main() {}
