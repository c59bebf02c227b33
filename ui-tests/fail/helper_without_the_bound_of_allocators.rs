// ALLOC-10: what a stream takes its memory from has promised that nobody else hands that memory out.
use ascendcl::{Brand, Current, Error, Stream, stream::CustomAllocator};

pub fn give_back<C: Brand, A>(current: &Current<C>, stream: Stream<C, CustomAllocator<A>>) -> Result<A, Error> {
    let (stream, allocator) = stream.unregister(current).map_err(|failed| failed.error)?;
    stream.destroy(current)?;
    Ok(allocator)
}

fn main() {}
