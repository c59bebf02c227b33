//! The program of the manual's page about resources: take a device, create a stream, release everything.
//!
//! Repair it: the order of release is wrong.

use ascendcl::{Acl, Error, Library, Thread};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let acl = Acl::init(Library::Simulator)?;
    let mut thread = Thread::new()?;
    let device = acl.device(&mut thread, 0)?;
    let ended = device.with_current(&mut thread, |current| {
        let stream = current.stream()?;
        stream.synchronize(current)?;
        Ok::<_, Error>(stream.destroy(current)?)
    });
    ended??;
    acl.close()?;
    device.reset(&mut thread)?;
    Ok(())
}
