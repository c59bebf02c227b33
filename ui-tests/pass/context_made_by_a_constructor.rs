// CTX-01: a context is made for a scope.
use ascendcl::{Context, Device, Error, Thread};

pub fn synchronize(device: &Device<'_>, thread: &mut Thread) -> Result<(), Box<dyn std::error::Error>> {
    device.context(thread, |context, thread| context.enter(thread, |current| current.synchronize()))???;
    Ok(())
}

#[allow(dead_code)]
fn unused<C: ascendcl::Brand>(context: &Context<C>, _: Error) -> i32 {
    context.device_id()
}

fn main() {}
