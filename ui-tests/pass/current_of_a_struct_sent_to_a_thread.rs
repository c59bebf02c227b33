// THREAD-01: a struct for another thread has the runtime, and no `Current`.
use ascendcl::{Current, Error, Runtime, Stream};

ascendcl::names!(Vision);

pub struct Job<'a> {
    pub runtime: &'a Runtime<Vision>,
    pub current: &'a Current<Vision>,
}

pub fn start(job: Job<'_>) -> Result<Stream<Vision>, Error> {
    let runtime = job.runtime;
    let made = std::thread::scope(|scope| scope.spawn(move || runtime.with(|current| current.stream())?).join());
    made.unwrap_or(Err(Error::NotExecuted))
}

fn main() {}
