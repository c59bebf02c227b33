// INIT-02: the library is finalised when its devices were given back.
use ascendcl::{Acl, Error, Thread};

pub fn close(acl: Acl, thread: &mut Thread) -> Result<(), Error> {
    let device = acl.device(thread, 0)?;
    acl.close()?;
    device.reset(thread)?;
    Ok(())
}

fn main() {}
