// STREAM-06: a stream is destroyed while its own context is current.
use ascendcl::{Current, Error, Scoped, Stream, stream::Undecided};

ascendcl::names! { pub Vision, pub Speech }

pub fn finish<'v, 's>(
    vision: &Current<Scoped<'v, Vision>>,
    speech: &Current<Scoped<'s, Speech>>,
    stream: Stream<Scoped<'v, Vision>, Undecided>,
) -> Result<(), Error> {
    let _ = (vision, speech);
    stream.destroy(vision)?;
    Ok(())
}

fn main() {}
