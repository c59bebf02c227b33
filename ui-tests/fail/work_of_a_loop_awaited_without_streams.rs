// COPY-03: a task awaits each copy of a loop through a future that borrows the stream.
use ascendcl::{Brand, Current, DeviceBuffer, Error, Pending, Stream};

pub async fn all<C: Brand>(
    current: &Current<C>,
    stream: &mut Stream<C>,
    works: Vec<Pending<C, DeviceBuffer<C, u8>>>,
) -> Result<(), Error> {
    let _ = &stream;
    for work in works {
        drop(work.await);
    }
    Ok(())
}

fn main() {}
