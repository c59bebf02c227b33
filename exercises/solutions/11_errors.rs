//! A write of too few elements fails, and the program tries again with the right number.
//!
//! Repair it: the failed call has the buffer.

use ascendcl::{Error, Library, RunError};

fn main() -> Result<(), RunError<Error>> {
    ascendcl::run(Library::Simulator, |current| {
        let buffer = current.device_buffer::<u8>(4)?;
        let buffer = match buffer.write(current, &[1, 2, 3]) {
            Ok(written) => written,
            Err(failed) => failed.value.write(current, &[1, 2, 3, 4])?,
        };
        assert_eq!(buffer.to_vec(current)?, [1, 2, 3, 4]);
        Ok(())
    })
}
