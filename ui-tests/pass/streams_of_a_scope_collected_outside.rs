// CTX-10: a list outside a scope keeps no streams of its context.
use ascendcl::{Device, Error, Thread};

pub fn collect(device: &Device<'_>, thread: &mut Thread) -> Result<usize, Error> {
    let mut streams = Vec::new();
    let ran: Result<Result<(), Error>, _> = device.with_current(thread, |current| {
        for _ in 0..2 {
            streams.push(current.stream()?.is_complete(current)?);
        }
        Ok(())
    });
    drop(ran);
    Ok(streams.len())
}

fn main() {}
