// CTX-07: what is current is lent for the length of a closure.
use ascendcl::{Current, Error, Runtime};

ascendcl::names!(Vision);

fn copy_scope<R>(runtime: &Runtime<Vision>, program: impl FnOnce(&mut Current<Vision>) -> R) -> Result<R, Error> {
    runtime.with(program)
}

fn main() {}
