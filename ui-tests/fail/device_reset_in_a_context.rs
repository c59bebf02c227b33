// DEV-02, DEV-10, CTX-06: a device is reset when its contexts are gone.
use ascendcl::{Device, Thread};

pub fn reset(device: Device<'_>, thread: &mut Thread) {
    let _ = device.context(thread, |context, thread| {
        let _ = device.reset(thread);
        let _ = context;
    });
}

fn main() {}
