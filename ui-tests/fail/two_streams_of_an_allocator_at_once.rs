// ALLOC-10: one allocator never serves two running streams.
use ascendcl::{Brand, Current, DeviceAllocator, Error, Member, Permit, Prepared};

fn overlap<C: Brand, A: DeviceAllocator>(
    current: &Current<C>,
    permit: Permit<C, A>,
    streams: (&Member<C, A>, &Member<C, A>),
    models: (Prepared<C>, Prepared<C>),
) -> Result<(), Error> {
    let first = permit.begin(streams.0)?;
    let one = first.execute(current, models.0)?;
    let second = permit.begin(streams.1)?;
    let two = second.execute(current, models.1)?;
    let _in_flight = (one, two);
    Ok(())
}

fn main() {}
