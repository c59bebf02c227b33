// MEM-02: a name of shared memory is in one place: another reader has a clone.
use ascendcl::{Brand, Current, Error, HostBuffer, SharedBuffer, Stream};

pub fn on_two_streams<C: Brand>(
    current: &Current<C>,
    [first, second]: [&Stream<C>; 2],
    table: SharedBuffer<C, f32>,
    [one, two]: [HostBuffer<C, f32>; 2],
) -> Result<(), Error> {
    let first = first.copy_to_host(current, table, one)?;
    let second = second.copy_to_host(current, table, two)?;
    first.wait(current)?;
    second.wait(current)?;
    Ok(())
}

fn main() {}
