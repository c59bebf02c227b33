// DEV-07: a device that was taken once is given back once, on every way through a program.
use ascendcl::{Device, Error, Thread};

pub fn end(thread: &mut Thread, device: Device<'_>, early: bool) -> Result<(), Error> {
    if early {
        device.reset(thread)?;
    }
    device.reset(thread)?;
    Ok(())
}

fn main() {}
