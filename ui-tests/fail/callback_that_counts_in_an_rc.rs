// CB-01: a thread of the library runs a callback, so what it shares with the program is safe for threads.
use ascendcl::{Brand, Current, Error, Stream};
use std::{cell::Cell, rc::Rc};

pub fn count<C: Brand>(current: &Current<C>, stream: &Stream<C>) -> Result<u32, Error> {
    let count = Rc::new(Cell::new(0));
    let inside = Rc::clone(&count);
    stream.launch_host_fn(current, move || inside.set(inside.get() + 1))?.wait(current)?;
    Ok(count.get())
}

fn main() {}
