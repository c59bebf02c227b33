// ALLOC-20: a helper that replaces allocators has streams on which one was registered.
use ascendcl::{Brand, Current, DeviceAllocator, Error, Stream, stream::CustomAllocator};

pub fn exchange<C: Brand, A: DeviceAllocator>(
    current: &Current<C>,
    stream: Stream<C, CustomAllocator<A>>,
    pool: A,
) -> Result<(), Error> {
    let replaced = stream.replace(current, pool)?;
    drop(replaced);
    Ok(())
}

fn main() {}
