// THREAD-03: a job for a pool of threads owns its stream.
use ascendcl::{Error, Runtime, Stream};
use std::sync::{Arc, mpsc::Sender};

ascendcl::names!(Vision);

pub type Job = Box<dyn FnOnce() -> Result<(), Error> + Send>;

pub fn queue(jobs: &Sender<Job>, runtime: Arc<Runtime<Vision>>, stream: &'static Stream<Vision>) {
    let job = move || runtime.with(|current| stream.synchronize(current))?;
    let _ = jobs.send(Box::new(job));
}

fn main() {}
