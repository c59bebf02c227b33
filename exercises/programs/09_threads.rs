//! Two threads set memory to a value.
//!
//! Repair it: a wait covers all work on a stream, so two threads cannot use one stream at once.

use ascendcl::{Acl, Error, Library, Thread};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let acl = Acl::init(Library::Simulator)?;
    let mut thread = Thread::new()?;
    let device = acl.device(&mut thread, 0)?;
    let ended = device.context(&mut thread, |context, thread| {
        let stream = context.enter(thread, |current| current.stream())??;
        std::thread::scope(|scope| {
            let stream = &stream;
            let workers = [1, 2].map(|value| {
                scope.spawn(move || {
                    context.enter(&mut Thread::new()?, |current| {
                        let work = stream.set_bytes(current, current.device_buffer::<u8>(4)?, value)?;
                        assert_eq!(work.wait(current)?.to_vec(current)?, [value; 4]);
                        Ok::<_, Error>(())
                    })?
                })
            });
            workers.into_iter().try_for_each(|worker| worker.join().unwrap())
        })
    });
    ended??;
    Ok(())
}
