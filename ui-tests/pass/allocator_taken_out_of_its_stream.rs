// ALLOC-11, ALLOC-12: an allocator stays where it is until it was unregistered.
use ascendcl::{Current, DeviceAllocator, Error, Stream, With};

pub fn exchange<'c, A: DeviceAllocator>(
    current: &Current<'c>,
    stream: Stream<'c, With<A>>,
    other: A,
) -> Result<(), Error> {
    let (stream, old) = stream.replace(current, other)?;
    let _ = (current, old, stream);
    Ok(())
}

fn main() {}
