// INIT-08: what was initialised once is finalised once.
use ascendcl::{Acl, Error};

pub fn close(acl: Acl, other: Acl) -> Result<(), Error> {
    acl.close()?;
    other.close()?;
    Ok(())
}

fn main() {}
