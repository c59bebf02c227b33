// MEM-12: a buffer of any context, perhaps a runtime's, is written while its memory is there.
use ascendcl::{Brand, Current, Error, HostBuffer};

pub fn fill<C: Brand>(current: &Current<C>, image: &[f32]) -> Result<HostBuffer<C, f32>, Error> {
    let mut host = current.host_buffer::<f32>(image.len())?;
    host.copy_from_slice(image);
    Ok(host)
}

fn main() {}
