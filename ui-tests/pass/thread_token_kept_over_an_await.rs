// THREAD-04: a task that may go on on another thread keeps no token of this one.
use ascendcl::{Error, Thread};

pub fn spawn(_task: impl Future<Output = Result<(), Error>> + Send) {}
pub async fn waits() {}

pub fn start() {
    spawn(async {
        let thread = Thread::new()?;
        drop(thread);
        waits().await;
        Ok(())
    });
}

fn main() {}
