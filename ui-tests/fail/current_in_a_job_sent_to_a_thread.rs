// THREAD-01: a job for another thread has no `Current` in it.
use ascendcl::{Current, Error, Runtime, Stream};

ascendcl::names!(Vision);

pub struct Job<'a> {
    pub current: &'a Current<Vision>,
    pub stream: Stream<Vision>,
}

pub fn start(runtime: &Runtime<Vision>, job: Job<'_>) {
    std::thread::scope(|scope| {
        let Job { current: _, stream: _ } = &job;
        scope.spawn(move || (job.stream.synchronize(job.current), finish(runtime, job.stream)));
    });
}

pub fn finish(runtime: &Runtime<Vision>, stream: Stream<Vision>) -> Result<(), Error> {
    runtime.with(|current| stream.synchronize(current))?
}

fn main() {}
