// INIT-01: a library that is loaded answers nothing before it is initialised.
use ascendcl::{Acl, Error};

pub fn count(acl: &Acl) -> Result<i32, Error> {
    acl.device_count()
}

fn main() {}
