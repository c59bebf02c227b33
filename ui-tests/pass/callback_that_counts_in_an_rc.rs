// CB-01: a thread of the library runs a callback, so what it shares with the program is safe for threads.
use ascendcl::{Brand, Current, Error, Stream};
use std::sync::{Arc, atomic::{AtomicU32, Ordering}};

pub fn count<C: Brand>(current: &Current<C>, stream: &Stream<C>) -> Result<u32, Error> {
    let count = Arc::new(AtomicU32::new(0));
    let inside = Arc::clone(&count);
    stream.launch_host_fn(current, move || inside.fetch_add(1, Ordering::Relaxed))?.wait(current)?;
    Ok(count.load(Ordering::Relaxed))
}

fn main() {}
