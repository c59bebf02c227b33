//! A worker thread sums numbers on the device.
//!
//! Repair it: the worker uses the current context of the thread that started it.

use ascendcl::{Acl, Error, Library, Thread};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let acl = Acl::init(Library::Simulator)?;
    let mut thread = Thread::new()?;
    let device = acl.device(&mut thread, 0)?;
    let sum = device.context(&mut thread, |context, _thread| {
        std::thread::scope(|scope| {
            let worker = scope.spawn(|| {
                context.enter(&mut Thread::new()?, |current| {
                    let numbers = current.upload(&[1_u32, 2, 3])?.to_vec(current)?;
                    Ok::<u32, Error>(numbers.iter().sum())
                })?
            });
            worker.join().unwrap()
        })
    });
    assert_eq!(sum??, 6);
    Ok(())
}
