// CTX-10: a stream is gone when its context's scope has ended.
use ascendcl::{Device, Thread};

pub fn keep(device: &Device<'_>, thread: &mut Thread) {
    let mut kept = None;
    let _ = device.with_current(thread, |current| {
        kept = Some(current.stream().is_ok());
    });
    let _ = kept;
}

fn main() {}
