// ERR-01: a scope can fail in several steps.
use ascendcl::{Device, Error, Thread};

pub fn check(device: &Device<'_>, thread: &mut Thread) -> Result<(), Box<dyn std::error::Error>> {
    device.context(thread, |context, thread| context.enter(thread, |current| current.synchronize()))???;
    Ok(())
}

fn main() {}
