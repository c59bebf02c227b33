// DEV-01, MEM-06: streams and memory are made in a context of a device; a thread alone has none.
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream, Thread};

fn make<C: Brand>(current: &Current<C>) -> Result<(Stream<C>, DeviceBuffer<C, f32>), Error> {
    Ok((current.stream()?, current.upload(&[1.0])?))
}

pub fn begin(thread: &mut Thread, current: &Current<impl Brand>) -> Result<(), Error> {
    let _ = (&thread, &current);
    make(thread)?;
    Ok(())
}

fn main() {}
