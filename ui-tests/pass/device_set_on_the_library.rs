// DEV-01: a device is taken, and given back by its value.
use ascendcl::{Acl, Library, Thread};

pub fn begin(device: i32) -> Result<(), Box<dyn std::error::Error>> {
    let acl = Acl::init(Library::Vendor)?;
    let mut thread = Thread::new()?;
    acl.device_count()?;
    acl.device(&mut thread, device)?.reset(&mut thread)?;
    Ok(())
}

fn main() {}
