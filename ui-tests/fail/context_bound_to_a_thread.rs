// CTX-05: a context is entered, and left at the end of the closure.
use ascendcl::{Context, Error, Scoped, Thread};

pub fn works<'c>(context: &Context<Scoped<'c>>, thread: &mut Thread) -> Result<(), Error> {
    let _ = &thread;
    context.bind_to_thread()
}

fn main() {}
