// INIT-10: the library is finalised when no thread uses it any more.
use ascendcl::{Acl, Error};

pub fn close(acl: Acl) -> Result<(), Error> {
    std::thread::scope(|scope| {
        let counting = scope.spawn(|| acl.device_count());
        acl.close().ok();
        counting.join()
    });
    Ok(())
}

fn main() {}
