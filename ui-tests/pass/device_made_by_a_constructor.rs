// DEV-01: a device is taken from the initialised library.
use ascendcl::{Acl, Device, Error, Thread};

pub fn devices<'a>(acl: &'a Acl, thread: &mut Thread) -> Result<Vec<Device<'a>>, Error> {
    let count = acl.device_count()?;
    (0..count).map(|id| acl.device(thread, id)).collect()
}

fn main() {}
