// COPY-04: what is lent to a copy lives until the lending is over.
use ascendcl::{Current, DeviceBuffer, Error, Stream};

fn upload<'c>(current: &mut Current<'c>, stream: &Stream<'c>, buffer: DeviceBuffer<'c, f32>) -> Result<(), Error> {
    current.lend(|current, lender| {
        let image = vec![1.0; buffer.len()];
        let _pending = lender.copy_to_device(current, stream, &image, buffer)?;
        Ok::<_, Error>(())
    })?
}

fn main() {}
