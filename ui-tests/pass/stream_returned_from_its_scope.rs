// CTX-10: a stream is gone when its context's scope has ended.
use ascendcl::{Device, Thread};

pub fn returns(device: &Device<'_>, thread: &mut Thread) {
    let _ = device.with_current(thread, |current| current.stream().map(drop));
}

fn main() {}
