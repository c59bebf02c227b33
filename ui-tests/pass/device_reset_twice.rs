// DEV-07: a device that was taken once is given back once.
use ascendcl::{Device, Error, Thread};

pub fn reset(thread: &mut Thread, device: Device<'_>, other: Device<'_>) -> Result<(), Error> {
    device.reset(thread)?;
    other.reset(thread)?;
    Ok(())
}

fn main() {}
