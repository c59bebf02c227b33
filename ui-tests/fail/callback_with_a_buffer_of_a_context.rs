// CB-01: a callback has nothing of a context: it cannot call the library.
use ascendcl::{Current, DeviceBuffer, Error, Scoped, Stream};

fn frees<'c>(current: &Current<Scoped<'c>>, stream: &Stream<Scoped<'c>>, buffer: DeviceBuffer<Scoped<'c>, f32>) -> Result<usize, Error> {
    let reply = stream.launch_host_fn(current, move || buffer.len()).map_err(|failed| failed.error)?;
    reply.wait(current)?.into_result()
}

fn main() {}
