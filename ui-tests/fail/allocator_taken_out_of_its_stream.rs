// ALLOC-11, ALLOC-12: an allocator stays where it is until it was unregistered.
use ascendcl::{Brand, Current, DeviceAllocator, Error, Stream, stream::CustomAllocator};

pub fn exchange<C: Brand, A: DeviceAllocator>(
    current: &Current<C>,
    stream: Stream<C, CustomAllocator<A>>,
    other: A,
) -> Result<(), Error> {
    let old = stream.with_allocator(|pool| std::mem::replace(pool, other));
    let _ = (current, old, stream);
    Ok(())
}

fn main() {}
