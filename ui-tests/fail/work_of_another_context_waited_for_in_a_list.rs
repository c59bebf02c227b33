// STREAM-09, MEM-11: a list of work in flight is waited for in the context of its streams.
use ascendcl::{Current, DeviceBuffer, Error, Pending, Scoped};

ascendcl::names! { pub Vision, pub Speech }

type Work<'c, N> = Pending<Scoped<'c, N>, DeviceBuffer<Scoped<'c, N>, f32>>;

pub fn all<'v, 's>(
    vision: &Current<Scoped<'v, Vision>>,
    seen: Vec<Work<'v, Vision>>,
    heard: Vec<Work<'s, Speech>>,
) -> Result<(), Error> {
    let _ = (&seen, &heard);
    vision.wait_all(heard).into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(())
}

fn main() {}
