//! The program wants four zeros on the device.
//!
//! Repair it: nobody has written them.

use ascendcl::{Error, Library, RunError};

fn main() -> Result<(), RunError<Error>> {
    ascendcl::run(Library::Simulator, |current| {
        let buffer = current.device_buffer::<f32>(4)?;
        let numbers = buffer.to_vec(current)?;
        println!("{numbers:?}");
        assert_eq!(numbers.len(), 4);
        Ok(())
    })
}
