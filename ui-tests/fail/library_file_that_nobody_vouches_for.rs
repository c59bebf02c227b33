// A file runs code of its own when it is loaded as a library: a program that names one vouches for it.
use ascendcl::{Acl, Library};

fn main() {
    let library = Library::at("/nonexistent/libascendcl.so");
    assert!(Acl::init(library).is_err());
}
