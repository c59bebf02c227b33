// CTX-08, THREAD-01: taking a device changes the current context of a thread, whose token says which.
use ascendcl::{Acl, Error, Thread};

pub fn take(acl: &Acl) -> Result<i32, Error> {
    let mut thread = Thread::new()?;
    let _ = &mut thread;
    let device = acl.device(&mut thread, 0)?;
    Ok(device.id())
}

fn main() {}
