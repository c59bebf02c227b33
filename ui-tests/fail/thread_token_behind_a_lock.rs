// THREAD-01: a lock makes no token of another thread.
use ascendcl::{Thread};
use std::sync::Mutex;

pub fn both(token: Mutex<Thread>) {
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let lock = token.lock();
            drop(lock);
        });
    });
}

fn main() {}
