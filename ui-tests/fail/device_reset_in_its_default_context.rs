// DEV-02, DEV-05: what was made in the default context is gone before its device is reset.
use ascendcl::{Device, Thread};

fn works(device: Device<'_>, thread: &mut Thread) {
    let _ = device.default_context(thread, |context, thread| {
        let _ = context.enter(thread, |current| device.reset(current));
    });
}

fn main() {}
