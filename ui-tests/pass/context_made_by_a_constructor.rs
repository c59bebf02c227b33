// CTX-01: a context is made for a scope.
use ascendcl::{Context, Device, Thread};

pub fn synchronize(device: &Device<'_>, thread: &mut Thread) -> Result<(), Box<dyn std::error::Error>> {
    device.context(thread, |context, thread| context.enter(thread, |current| current.synchronize()))???;
    Ok(())
}

fn main() {}
