// INIT-02: threads borrow the library, which is closed once.
use ascendcl::{Acl, Error, Thread};

pub fn count(acl: &Acl) -> Result<i32, Error> {
    std::thread::scope(|scope| {
        let library = acl.clone();
        let counted = scope.spawn(move || Thread::new().and_then(|_thread| library.device_count()));
        counted.join().unwrap_or(Ok(0))
    })
}

fn main() {}
