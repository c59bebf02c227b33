// THREAD-01: a lock makes no token of another thread.
use ascendcl::{Error, Thread};
use std::sync::Mutex;

pub fn both(_token: Mutex<Thread>) {
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let lock: Result<Thread, Error> = Thread::new();
            drop(lock);
        });
    });
}

fn main() {}
