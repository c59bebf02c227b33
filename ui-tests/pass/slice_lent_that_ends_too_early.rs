// COPY-04: what is lent to a copy lives until the lending is over.
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream};

fn upload<C: Brand>(current: &mut Current<C>, stream: &Stream<C>, buffer: DeviceBuffer<C, f32>) -> Result<(), Error> {
    let image = vec![1.0; buffer.len()];
    current.copy_scope(|current, copies| {
        let _pending = copies.copy_to_device(current, stream, &image, buffer)?;
        Ok::<_, Error>(())
    })?
}

fn main() {}
