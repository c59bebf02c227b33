// THREAD-04: a task that may go on on another thread does not keep a current context while it waits.
use ascendcl::{Current, Runtime};

ascendcl::names!(Vision);

pub fn spawn(_task: impl Future<Output = ()> + Send) {}
pub async fn waits() {}

pub async fn streams(runtime: &Runtime<Vision>, current: &Current<Vision>) {
    waits().await;
    drop((runtime, current.stream()));
}

pub async fn entered(runtime: &Runtime<Vision>) {
    waits().await;
    let _ = runtime.with(|current| drop(current.stream()));
}

pub fn start(runtime: &Runtime<Vision>, current: &Current<Vision>) {
    let _ = current;
    spawn(entered(runtime));
}

fn main() {}
