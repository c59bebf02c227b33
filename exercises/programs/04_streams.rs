//! Numbers go to the device and, in a second copy on the same stream, into another buffer.
//!
//! Repair it: the result is read while the work is in flight.

use ascendcl::{Error, Library, RunError};

fn main() -> Result<(), RunError<Error>> {
    ascendcl::run(Library::Simulator, |current| {
        let stream = current.stream()?;
        let mut host = current.host_buffer::<u32>(3)?;
        host.copy_from_slice(&[1, 2, 3]);

        let (_host, first) = stream.copy_to_device(current, host, current.device_buffer(3)?)?.split();
        let (_first, second) = stream.copy_on_device(current, first, current.device_buffer(3)?)?.split();
        assert_eq!(second.to_vec(current)?, [1, 2, 3]);
        Ok(())
    })
}
