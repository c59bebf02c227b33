// THREAD-01: a lock makes no current context of another thread.
use ascendcl::{Current, Error, Runtime};
use std::sync::Mutex;

ascendcl::names!(Vision);

pub fn share(runtime: &Runtime<Vision>, current: &mut Current<Vision>) {
    let locked = Mutex::new(current);
    std::thread::scope(|scope| {
        scope.spawn(|| streams(runtime).is_ok());
    });
    drop(locked);
}

pub fn streams(runtime: &Runtime<Vision>) -> Result<(), Error> {
    runtime.with(|current| drop(current.stream()))
}

fn main() {}
