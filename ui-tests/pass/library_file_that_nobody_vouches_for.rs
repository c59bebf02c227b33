// A file runs code of its own when it is loaded as a library: a program that names one vouches for it.
use ascendcl::{Acl, Library};

fn main() {
    // SAFETY: no file is there.
    let library = unsafe { Library::at("/nonexistent/libascendcl.so") };
    assert!(Acl::init(library).is_err());
}
