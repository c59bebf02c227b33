// CTX-07: what is current is lent for the length of a closure.
use ascendcl::{Current, Error, Runtime};

ascendcl::names!(Vision);

fn steal<'a>(runtime: &'a Runtime<Vision>) -> Result<&'a mut Current<Vision>, Error> {
    runtime.with(|current| current)
}

fn main() {}
