//! Library, devices, contexts and threads: `cargo run --example 01_devices`.
//!
//! The vendor's rules: initialise once and first, take a device before anything is made on it, and end everything in the
//! opposite order. Here each step needs the value that the step before it returned.

use ascendcl::{Acl, Library, Thread};
use std::error::Error;

ascendcl::names!(Vision);

fn main() -> Result<(), Box<dyn Error>> {
    // Mistake: asking for devices before `aclInit`. Many of the vendor's functions report success, which promises nothing.
    // Refused: `ui-tests/fail/device_asked_for_before_the_library_is_initialised.rs`:
    //     error[E0277]: the library is loaded, and may not be initialised
    let acl = Acl::init(Library::VendorOrSimulator)?;
    println!("1 the library is initialised; it is the simulator: {}", acl.library().is_simulator());

    let properties = acl.device_properties(0)?;
    println!("2 device 0 tells of its memory: {}", properties.memory_bytes.is_some());

    // The right to choose this thread's current context. A thread has one.
    let mut thread = Thread::new()?;
    let device = acl.device(&mut thread, 0)?;
    println!("3 this program has taken device {}", device.id());

    // Mistake: `aclFinalize` while a device is taken. The vendor's library reports success. What uses the device afterwards
    // is undefined.
    // Refused: `ui-tests/fail/library_closed_under_a_device.rs`:
    //     error[E0505]: cannot move out of `acl` because it is borrowed

    // A context owns what is made in it. Its name makes messages of the compiler readable.
    let sum = device.named_context::<Vision, _, _>(&mut thread, |context, thread| {
        // Mistake: `aclrtResetDevice` in here. It ends streams that the program still uses, and reports success.
        // Refused: `ui-tests/fail/device_reset_in_a_context.rs`:
        //     error[E0505]: cannot move out of `device` because it is borrowed
        context.enter(thread, |current| {
            let numbers = current.upload(&[1_u32, 2, 3])?.to_vec(current)?;
            Ok::<u32, ascendcl::Error>(numbers.iter().sum())
        })
    });
    // One `?` each: the context was opened and ended, it was entered, the program in it succeeded.
    let sum = sum???;
    println!("4 a context was opened, used and closed: {sum}");

    device.reset(&mut thread)?;
    acl.close()?;
    println!("5 the device is given back, and the library finalised");
    Ok(())
}
