// MEM-02: memory that others may read is not freed: its last name is.
use ascendcl::{Brand, Current, Error, SharedBuffer};

pub fn give_back<C: Brand>(current: &Current<C>, table: SharedBuffer<C, f32>) -> Result<(), Error> {
    table.free(current)?;
    Ok(())
}

fn main() {}
