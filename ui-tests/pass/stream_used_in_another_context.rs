// STREAM-09, STREAM-10: a stream is used while its own context is current.
use ascendcl::{Current, Error, Scoped, Stream};

struct Vision;
struct Speech;

fn wait<'v, 's>(
    vision: &Current<Scoped<'v, Vision>>,
    speech: &Current<Scoped<'s, Speech>>,
    stream: &Stream<Scoped<'v, Vision>, ascendcl::stream::Undecided>,
) -> Result<(), Error> {
    let _ = (vision, speech);
    stream.synchronize(vision)
}

fn main() {}
