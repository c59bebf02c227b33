// CTX-05: who changes a thread's current context has the token of the thread.
use ascendcl::{Error, Runtime, Thread};

ascendcl::names!(Vision);

pub fn enter(runtime: &Runtime<Vision>) -> Result<(), Error> {
    let mut thread = Thread::new()?;
    let _ = &mut thread;
    runtime.enter(&mut thread, |current| drop(current.stream()))
}

fn main() {}
