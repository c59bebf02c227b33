// STREAM-09, STREAM-10: a stream is used while its own context is current.
use ascendcl::{Current, Error, Stream};

struct Vision;
struct Speech;

fn wait<'v, 's>(
    vision: &Current<'v, Vision>,
    speech: &Current<'s, Speech>,
    stream: &Stream<'v, ascendcl::Fresh, Vision>,
) -> Result<(), Error> {
    let _ = (vision, speech);
    stream.synchronize(vision)
}

fn main() {}
