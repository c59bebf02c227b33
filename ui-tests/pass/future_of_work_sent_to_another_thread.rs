// THREAD-04: a future of work has the current context, which stays on its thread.
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream};

fn spawns<C: Brand>(current: &Current<C>, stream: &mut Stream<C>, buffer: DeviceBuffer<C, f32>) -> Result<(), Error> {
    let work = stream.set_bytes(current, buffer, 0)?;
    let future = work.into_future(current, stream)?;
    std::thread::scope(|scope| {
        scope.spawn(|| ());
        drop(future);
    });
    Ok(())
}

fn main() {}
