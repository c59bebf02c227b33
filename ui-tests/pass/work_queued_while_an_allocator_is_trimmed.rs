// ALLOC-11: an allocator gives memory back while its stream is known to be idle.
use ascendcl::{Current, Error, PoolAllocator, Prepared, Stream, With};

pub fn trim<'c>(
    current: &Current<'c>,
    mut stream: Stream<'c, With<PoolAllocator>>,
    model: Prepared<'c>,
) -> Result<(), Error> {
    let idle = stream.idle(current)?;
    let model = (current, model);
    idle.trim(current)?;
    let _ = (stream, model);
    Ok(())
}

fn main() {}
