// MEM-11: shared memory is read in its own context.
use ascendcl::{Current, Error, HostBuffer, SharedBuffer, Stream};

ascendcl::names!(Vision, Speech);

pub fn read(
    current: &Current<Speech>,
    stream: &Stream<Speech>,
    table: SharedBuffer<Speech, f32>,
    to: HostBuffer<Speech, f32>,
) -> Result<(), Error> {
    stream.copy_to_host(current, table, to)?.wait(current)?;
    Ok(())
}

fn main() {}
