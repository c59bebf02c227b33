// ERR-01: a failed call returns its object with the error, and an error type of the program's takes the error alone.
use ascendcl::{Acl, Library};

fn main() -> anyhow::Result<()> {
    let acl = Acl::init(Library::Simulator)?;
    acl.close()?;
    Ok(())
}
