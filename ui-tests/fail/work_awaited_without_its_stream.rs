// COPY-03: a task awaits a copy through a future that borrows the stream.
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream};

pub async fn clear<C: Brand>(
    current: &Current<C>,
    stream: &mut Stream<C>,
    buffer: DeviceBuffer<C, f32>,
) -> Result<(), Error> {
    let work = stream.set_bytes(current, buffer, 0)?;
    let cleared = work.await;
    drop(cleared);
    Ok(())
}

fn main() {}
