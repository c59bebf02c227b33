// INIT-08: the library is finalised once, not after each part of a program.
use ascendcl::{Acl, Error};

pub fn all(acl: Acl, parts: &[fn(&Acl) -> Result<(), Error>]) -> Result<(), Error> {
    for part in parts {
        part(&acl)?;
        acl.close()?;
    }
    Ok(())
}

fn main() {}
