// MEM-12: memory is freed before its device is reset, at the end of its context's scope.
use ascendcl::{Device, Thread};

pub fn keep(device: &Device<'_>, thread: &mut Thread) {
    let mut kept = None;
    let _ = device.with_current(thread, |current| {
        kept = current.upload(&[1.0_f32]).ok();
    });
    let _ = kept;
}

fn main() {}
