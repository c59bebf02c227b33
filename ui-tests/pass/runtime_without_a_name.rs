// CTX-02: a context is named by a type that was declared for it.
use ascendcl::{Error, Library, Runtime};

ascendcl::names!(Vision);

fn open() -> Result<Runtime<Vision>, Error> {
    Runtime::open(Library::Simulator)
}

fn main() {}
