// THREAD-03: one thread at a time uses a stream.
use ascendcl::{Context, Current, Error, Scoped, Stream, Thread};

pub fn share<'c>(context: &'c Context<Scoped<'c>>, stream: Stream<Scoped<'c>>, other: Stream<Scoped<'c>>) {
    std::thread::scope(|scope| {
        scope.spawn(move || enter(context, |current| stream.synchronize(current)));
        scope.spawn(move || enter(context, |current| other.synchronize(current)));
    });
}

fn enter<'c>(
    context: &'c Context<Scoped<'c>>,
    wait: impl FnOnce(&mut Current<Scoped<'c>>) -> Result<(), Error>,
) -> Result<(), Error> {
    context.enter(&mut Thread::new()?, wait)?
}

fn main() {}
