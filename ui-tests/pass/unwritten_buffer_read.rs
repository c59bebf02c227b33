// MEM-07: new device memory holds anything; it is written before it is read.
use ascendcl::{Brand, Current, Error};

pub fn read(current: &Current<impl Brand>) -> Result<(), Error> {
    let buffer = current.device_buffer::<f32>(16)?.zero(current)?;
    drop(buffer.to_vec(current)?);
    Ok(())
}

fn main() {}
