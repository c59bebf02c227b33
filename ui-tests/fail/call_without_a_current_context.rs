// STREAM-09, STREAM-21: a call on a context's object needs the context to be current; to have the context is not enough.
use ascendcl::{Context, Error, Scoped, Stream, Thread};

pub fn wait<'c>(
    context: &'c Context<Scoped<'c>>,
    thread: &mut Thread,
    stream: &Stream<Scoped<'c>>,
) -> Result<(), Error> {
    let _ = &thread;
    stream.synchronize(context)
}

fn main() {}
