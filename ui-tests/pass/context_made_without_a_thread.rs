// CTX-05, THREAD-01: who changes a thread's current context has the token of the thread.
use ascendcl::{Device, Thread};

pub fn make(device: &Device<'_>) -> Result<(), Box<dyn std::error::Error>> {
    let mut thread = Thread::new()?;
    let _ = &mut thread;
    device.context(&mut thread, |_context, _thread| ())?;
    Ok(())
}

fn main() {}
