// THREAD-04: a task that may go on on another thread does not keep a current context while it waits.
use ascendcl::{Context, Current, Scoped, Thread};

pub fn spawn(_task: impl Future<Output = ()> + Send) {}
pub async fn waits() {}

pub fn start<'c>(context: &'c Context<Scoped<'c>>, current: &mut Current<Scoped<'c>>) {
    let enter = || Thread::new().and_then(|mut thread| context.enter(&mut thread, |current| drop(current.stream())));
    let _ = (&enter, current.stream());
    spawn(async {
        drop(current.stream());
        waits().await;
    });
}

fn main() {}
