// ALLOC-13: a stream that moved to a thread has the allocator that was registered on it, or none.
use ascendcl::{BoundModel, Error, Runtime, Stream};
use std::sync::Arc;
use std::thread::JoinHandle;

ascendcl::names!(Vision);

pub fn start(
    runtime: Arc<Runtime<Vision>>,
    stream: Stream<Vision>,
    model: BoundModel<Vision>,
) -> JoinHandle<Result<(), Error>> {
    std::thread::spawn(move || {
        runtime.with(|current| {
            let running = stream.without_allocator().execute(current, model)?;
            running.wait(current)?;
            Ok(())
        })?
    })
}

fn main() {}
