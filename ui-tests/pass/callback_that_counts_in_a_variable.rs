// CB-08: a callback owns what it writes to: the function that queued it may be over.
#![allow(unused_imports)]
use ascendcl::{Brand, Current, Error, Stream};
use std::sync::{Arc, atomic::{AtomicU32, Ordering}};

pub fn count<C: Brand>(current: &Current<C>, stream: &Stream<C>) -> Result<(), Error> {
    let count = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&count);
    stream.launch_host_fn(current, move || counter.fetch_add(1, Ordering::Relaxed)).map_err(|failed| failed.error)?.wait(current)?;
    drop(count);
    Ok(())
}

fn main() {}
