// ALLOC-10: one allocator never serves two running streams.
use ascendcl::{Current, DeviceAllocator, Error, Member, Permit, Prepared};

fn overlap<'c, A: DeviceAllocator>(
    current: &Current<'c>,
    permit: Permit<'c, A>,
    streams: (&Member<'c, A>, &Member<'c, A>),
    models: (Prepared<'c>, Prepared<'c>),
) -> Result<(), Error> {
    let first = permit.begin(streams.0)?;
    let one = first.execute(current, models.0)?;
    let second = permit.begin(streams.1)?;
    let two = second.execute(current, models.1)?;
    let _in_flight = (one, two);
    Ok(())
}

fn main() {}
