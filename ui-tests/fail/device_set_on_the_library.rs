// DEV-01: a device is taken, and its context entered.
use ascendcl::{Acl, Error, Library, Thread};

pub fn begin(device: i32) -> Result<(), Box<dyn std::error::Error>> {
    let acl = Acl::init(Library::Vendor)?;
    let mut thread = Thread::new()?;
    acl.set_device(device)?;
    thread_is_used(&mut thread);
    Ok(())
}

fn thread_is_used(_: &mut Thread) {}

#[allow(dead_code)]
fn unused(error: Error) -> Error {
    error
}

fn main() {}
