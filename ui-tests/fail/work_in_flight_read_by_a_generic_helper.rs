// COPY-03: a helper for elements of any type waits, too.
use ascendcl::{Brand, Current, DeviceBuffer, Element, Error, Pending};

pub fn elements<C: Brand, E: Element>(
    current: &Current<C>,
    work: Pending<C, DeviceBuffer<C, E>>,
) -> Result<Vec<E>, Error> {
    work.to_vec(current)
}

fn main() {}
