// CTX-10: a stream is gone when its context's scope has ended.
use ascendcl::{Device, Scoped, Stream, Thread};
use std::sync::{Mutex, PoisonError};

pub static KEPT: Mutex<Option<Stream<Scoped<'static>>>> = Mutex::new(None);

pub fn keep(device: &Device<'_>, thread: &mut Thread) {
    let _ = device.with_current(thread, |current| {
        let stream = current.stream().ok();
        *KEPT.lock().unwrap_or_else(PoisonError::into_inner) = stream;
    });
}

fn main() {}
