// CTX-05, THREAD-01: who changes a thread's current context has the token of the thread.
use ascendcl::{Brand, Current, Error, Runtime, Thread};

ascendcl::names!(Vision);

fn work<C: Brand>(_current: &mut Current<C>) {}

pub fn enter(runtime: &Runtime<Vision>) -> Result<(), Error> {
    let _ = Thread::new;
    runtime.enter(work)
}

fn main() {}
