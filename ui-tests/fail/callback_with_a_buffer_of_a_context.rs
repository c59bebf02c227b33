// CB-01: a callback has nothing of a context: it cannot call the library.
use ascendcl::{Current, DeviceBuffer, Error, Scoped, Stream};

fn frees<'c>(current: &Current<Scoped<'c>>, stream: &Stream<Scoped<'c>>, buffer: DeviceBuffer<Scoped<'c>, f32>) -> Result<usize, Error> {
    let reply = stream.call_back(current, move || buffer.len()).map_err(|undone| undone.error)?;
    reply.wait(current)?.into_result()
}

fn main() {}
