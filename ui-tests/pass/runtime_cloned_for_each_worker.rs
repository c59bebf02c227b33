// THREAD-01: workers share a runtime by reference.
use ascendcl::{Error, Runtime};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

ascendcl::names!(Vision);

pub fn workers(runtime: Shared, count: usize) -> Vec<JoinHandle<Result<(), Error>>> {
    let worker = || {
        let runtime = runtime.clone();
        thread::spawn(move || runtime.with(|current| current.synchronize())?)
    };
    (0..count).map(|_| worker()).collect()
}

pub type Shared = Arc<Runtime<Vision>>;

fn main() {}
