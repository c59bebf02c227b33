// CTX-11: a context is destroyed when no thread is in it; a thread that nobody joins could be.
use ascendcl::{Device, Thread};

pub fn detach(device: &Device<'_>, thread: &mut Thread) {
    let _ = device.context(thread, |context, _| {
        std::thread::spawn(move || context.device_id());
    });
}

fn main() {}
