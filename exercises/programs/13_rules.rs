//! The program works in a context and gives the device back.
//!
//! Repair it. `cargo run -p ascendcl-explain DEV-02` prints the page of the rule.

use ascendcl::{Acl, Error, Library, Thread};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let acl = Acl::init(Library::Simulator)?;
    let mut thread = Thread::new()?;
    let device = acl.device(&mut thread, 0)?;
    let ended = device.context(&mut thread, |context, thread| {
        let answer = context.enter(thread, |current| current.stream()?.synchronize(current));
        device.reset(thread)?;
        answer
    });
    ended???;
    Ok(())
}
