// COPY-07: a copy of what a stream writes is made when the stream was synchronised, in a closure too.
use ascendcl::{Brand, Current, DeviceBuffer, Error, HostBuffer, Stream};

pub fn checked<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C>,
    buffers: (HostBuffer<C, f32>, DeviceBuffer<C, f32>),
) -> Result<bool, Error> {
    let upload = stream.copy_to_device(current, buffers.0, buffers.1)?;
    let elements = || upload.to_vec(current);
    Ok(elements()? == [1.0])
}

fn main() {}
