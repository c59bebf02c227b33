//! A test lets the first allocation fail, and checks that the program takes less memory then.
//!
//! Repair it: a plan is not a text.

use ascendcl::{Error, Library, RunError};
use ascendcl_sim::control;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    control::fail("aclrtMalloc#1=207001".parse()?)?;
    let length: Result<usize, RunError<Error>> = ascendcl::run(Library::Simulator, |current| {
        let buffer = current.device_buffer::<u8>(1024).or_else(|_| current.device_buffer::<u8>(512))?;
        Ok(buffer.len())
    });
    assert_eq!(length?, 512);
    assert_eq!(control::injected().len(), 1);
    Ok(())
}
