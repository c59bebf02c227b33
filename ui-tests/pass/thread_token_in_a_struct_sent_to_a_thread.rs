// THREAD-01: a struct for another thread has no `Thread` of this one in it.
use ascendcl::{Error, Runtime, Thread};

ascendcl::names!(Vision);

pub struct Worker<'a> {
    pub runtime: &'a Runtime<Vision>,
    pub thread: u32,
}

pub fn start(worker: Worker<'_>) {
    std::thread::scope(|scope| {
        scope.spawn(move || work(worker));
    });
}

pub fn work(worker: Worker<'_>) -> Result<(), Error> {
    let mut thread: Thread = Thread::new()?;
    worker.runtime.enter(&mut thread, |current| drop(current.stream()))
}

fn main() {}
