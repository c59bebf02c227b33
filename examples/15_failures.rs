//! Failures: what they say, what they leave, and what ends a scope: `cargo run --example 15_failures`.
//!
//! A step that fails gives its value back. An error names the vendor's function, its code, its text, and the rule. A scope
//! takes down what was made in it, whatever happened.

#![allow(clippy::unwrap_used, reason = "a failure of an example ends it")]

use ascendcl::{Error, Library, OrDrop, RunError};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Mistake: not looking at the answer.
    // Refused: `ui-tests/fail/failure_ignored.rs`:
    //     error: unused `Result` that must be used
    ascendcl::run(Library::VendorOrSimulator, |current| {
        let buffer = current.device_buffer::<u8>(4)?;
        let failed = buffer.write(current, &[1, 2, 3]).unwrap_err();
        println!("1 {failed}");
        // The buffer is still there.
        let buffer = failed.value.write(current, &[1, 2, 3, 4])?;
        println!("2 tried again: {:?}", buffer.to_vec(current)?);

        // More memory than there is: the vendor's code, and what it means.
        let error = current.device_buffer::<u8>(1 << 50).map(drop).unwrap_err();
        let code = error.code().and_then(|code| code.name());
        println!("3 {code:?}, rules {:?}", error.rules().iter().map(ToString::to_string).collect::<Vec<_>>());

        // One word drops the value and keeps the error.
        let dropped: Result<_, Error> = current.device_buffer::<u8>(2)?.write(current, &[1]).or_drop();
        println!("4 the value was dropped: {}", dropped.is_err());
        Ok::<_, Error>(())
    })?;

    let failed = ascendcl::run(Library::VendorOrSimulator, |current| {
        let stream = current.stream()?;
        std::mem::forget(stream.set_bytes(current, current.device_buffer::<u8>(4)?, 1)?);
        Err::<(), Box<dyn std::error::Error>>("no image was found".into())
    });
    // The scope waited for the forgotten work and destroyed the stream; the program's own error is what is left.
    println!("5 {}", matches!(failed, Err(RunError::Program(_))));
    Ok(())
}
