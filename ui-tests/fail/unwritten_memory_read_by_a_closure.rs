// MEM-07: new memory is written before a closure reads it.
use ascendcl::{Brand, Current, Error};

pub fn zeros<C: Brand>(current: &Current<C>, length: usize) -> Result<Vec<f32>, Error> {
    let buffer = current.device_buffer::<f32>(length)?;
    let read = || buffer.to_vec(current);
    read()
}

fn main() {}
