//! Faults on purpose: how to test what a program does when a call fails: `cargo run --example 16_fault_injection`.
//!
//! The simulator makes calls fail by a plan: one call, each call from the third on, a device that is lost. The program under
//! test does not change.

#![allow(clippy::unwrap_used, reason = "a failure of an example ends it")]

use ascendcl::{Error, Library, RunError};
use ascendcl_sim::{Plan, control};

/// The program under test: it falls back to half of the memory.
fn room(library: Library) -> Result<usize, RunError<Error>> {
    ascendcl::run(library, |current| {
        let room = current.device_buffer::<u8>(1024).or_else(|_| current.device_buffer::<u8>(512))?;
        Ok(room.len())
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("1 nothing fails: {} bytes", room(Library::Simulator)?);

    control::fail("aclrtMalloc#1=207001".parse()?)?;
    println!("2 the first allocation fails: {} bytes", room(Library::Simulator)?);

    control::fail("aclrtMalloc#1+=207001".parse()?)?;
    println!("3 every allocation fails: {}", room(Library::Simulator).unwrap_err());

    // Every call of the program fails once: nothing may be left, whatever it was doing.
    let mut position = 1;
    let kept = loop {
        let plan: Plan = format!("*#{position}=507899").parse()?;
        control::fail(plan)?;
        let answer = room(Library::Simulator);
        let injected = control::injected().len();
        control::fail(Plan::new())?;
        control::reset();
        if injected == 0 {
            break answer.is_ok();
        }
        position += 1;
    };
    println!("4 each of its calls has failed once, and the last run succeeds: {}", kept && position > 5);
    Ok(())
}
