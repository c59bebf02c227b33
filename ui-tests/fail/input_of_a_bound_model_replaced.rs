// DATA-10: the memory of an input is exchanged, and the old one comes back.
use ascendcl::{BoundModel, Brand, Current, DeviceBuffer, Error};

pub fn next<C: Brand>(current: &Current<C>, model: &mut BoundModel<C>, batch: DeviceBuffer<C, f32>) -> Result<(), Error> {
    let before = model.replace_input(current, 0, batch)?;
    before.free(current)?;
    Ok(())
}

fn main() {}
