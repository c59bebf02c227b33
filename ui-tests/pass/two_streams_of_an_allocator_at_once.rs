// ALLOC-10: one allocator never serves two running streams.
use ascendcl::{Brand, Current, DeviceAllocator, Error, BoundModel, stream::{GroupStream, AllocatorGroup}};

fn overlap<C: Brand, A: DeviceAllocator>(
    current: &Current<C>,
    group: AllocatorGroup<C, A>,
    streams: (&GroupStream<C, A>, &GroupStream<C, A>),
    models: (BoundModel<C>, BoundModel<C>),
) -> Result<(), Error> {
    let first = group.begin(streams.0)?;
    let one = first.execute(current, models.0)?;
    let second = first.finish(current)?.begin(streams.1)?;
    let two = second.execute(current, models.1)?;
    let _in_flight = (one, two);
    Ok(())
}

fn main() {}
