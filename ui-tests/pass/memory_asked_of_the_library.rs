// DEV-01: a device is set before its memory is asked for, or its calls have no context.
use ascendcl::{Acl, Error, Library};

pub fn print_version() -> Result<(), Error> {
    let acl = Acl::init(Library::Vendor)?;
    let mut thread = ascendcl::Thread::new()?;
    let device = acl.device(&mut thread, 0)?;
    println!("free memory: {:?}", device.with_current(&mut thread, |current| current.memory_info()).is_ok());
    Ok(())
}

fn main() {}
