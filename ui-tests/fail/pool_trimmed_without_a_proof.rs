// ALLOC-11: a pool gives memory back to the system when its stream is known to be idle.
use ascendcl::{Current, Error, PoolAllocator, Stream, With};

pub fn trim<'c>(current: &Current<'c>, stream: &mut Stream<'c, With<PoolAllocator>>) -> Result<(), Error> {
    stream.with_allocator(|pool| pool.trim(current));
    Ok(())
}

fn main() {}
