// STREAM-09: work is waited for while the context of its stream is current.
use ascendcl::{Current, DeviceBuffer, Error, Pending};

ascendcl::names!(Vision, Speech);

pub fn end(
    currents: (&Current<Vision>, &Current<Speech>),
    cleared: Pending<Speech, DeviceBuffer<Speech, f32>>,
) -> Result<(), Error> {
    cleared.wait(currents.0)?;
    Ok(())
}

fn main() {}
