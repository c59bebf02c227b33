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
        stream.destroy(current).map_err(|failed| failed.error)
    });
    ended.map_err(|error| error.to_string())??;
    acl.close().map_err(Error::from)?;
    device.reset(&mut thread).map_err(Error::from)?;
    Ok(())
}
