// CTX-05: a context is entered before streams are made in it.
use ascendcl::{Brand, Context, Error, Stream, thread::ThreadToken};

pub fn streams<C: Brand>(
    context: &Context<C>,
    thread: &mut impl ThreadToken,
    count: usize,
) -> Result<Vec<Stream<C>>, Error> {
    context.enter(thread, |_current| (0..count).map(|_| context.stream()).collect())?
}

fn main() {}
