// DEV-01: a device is set before its memory is asked for, or its calls have no context.
use ascendcl::{Acl, Error, Library};

pub fn print_version() -> Result<(), Error> {
    let acl = Acl::init(Library::Vendor)?;
    println!("free memory: {:?}", acl.memory_info()?);
    Ok(())
}

fn main() {}
