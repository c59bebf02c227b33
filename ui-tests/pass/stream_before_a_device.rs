// DEV-01, MEM-06: streams and memory are made in a context of a device; a thread alone has none.
use ascendcl::{Current, DeviceBuffer, Error, Stream, Thread};

fn make<'c>(current: &Current<'c>) -> Result<(Stream<'c>, DeviceBuffer<'c, f32>), Error> {
    Ok((current.stream()?, current.upload(&[1.0])?))
}

pub fn begin(thread: &mut Thread, current: &Current<'_>) -> Result<(), Error> {
    let _ = (&thread, &current);
    make(current)?;
    Ok(())
}

fn main() {}
