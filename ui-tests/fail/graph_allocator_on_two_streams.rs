// GE-04: an allocator serves one stream: two graphs that execute at once have an allocator each.
use ascendcl_ge::{Compiled, Graph, Session};
use ascendcl::{Brand, Current, DeviceAllocator, Error, Stream};

pub fn program<C: Brand, A: DeviceAllocator>(
    session: &mut Session<C>,
    current: &Current<C>,
    [one, two]: [Graph<C, Compiled>; 2],
    [first, second]: [Stream<C>; 2],
    [allocator, another]: [A; 2],
) -> Result<(), Error> {
    let one = one.register(session, current, first, allocator)?.load(session, current)?;
    let two = two.register(session, current, second, allocator)?.load(session, current)?;
    drop((one, two, another));
    Ok(())
}

fn main() {}
