// THREAD-02: a thread has its own default stream, and takes no view of another one.
use ascendcl::{Current, Error, Runtime};

ascendcl::names!(Vision);

pub fn start(runtime: &Runtime<Vision>, current: &Current<Vision>) -> Result<(), Error> {
    let stream = current.stream()?;
    std::thread::scope(|scope| {
        scope.spawn(move || runtime.with(|current| stream.synchronize(current)));
    });
    Ok(())
}

fn main() {}
