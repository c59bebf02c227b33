// COPY-07: a task, too, reads a buffer when the work on it was waited for.
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream};

pub async fn zeros<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C>,
    buffer: DeviceBuffer<C, f32>,
) -> Result<Vec<f32>, Error> {
    let task = async {
        let cleared = stream.set_bytes(current, buffer, 0)?;
        cleared.to_vec(current)
    };
    task.await
}

fn main() {}
