// MEM-02: memory that others read is not written: who writes it has its last name.
use ascendcl::{Brand, Current, Error, HostBuffer, SharedBuffer, Stream};

pub fn renew<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C>,
    rows: HostBuffer<C, f32>,
    table: SharedBuffer<C, f32>,
) -> Result<(), Error> {
    let table = table;
    stream.copy_to_device(current, rows, table)?.wait(current)?;
    Ok(())
}

fn main() {}
