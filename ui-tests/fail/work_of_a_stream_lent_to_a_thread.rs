// THREAD-03: one thread at a time queues work on a stream, also by way of what all streams have in common.
use ascendcl::{Context, Error, Scoped, Stream, Thread, stream::StreamOps};

fn waits<'c>(context: &'c Context<Scoped<'c>>, stream: Stream<Scoped<'c>>) {
    std::thread::scope(|scope| {
        let tasks: &StreamOps<Scoped<'c>> = &stream;
        scope.spawn(move || context.enter(&mut Thread::new()?, |current| tasks.synchronize(current))?);
    });
}

fn main() -> Result<(), Error> {
    Ok(())
}
