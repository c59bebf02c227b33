//! The program copies three numbers to the device, and wants to use the host's buffer again.
//!
//! Repair it: the copy is in flight when the buffer is used.

use ascendcl::{Error, Library, RunError};

fn main() -> Result<(), RunError<Error>> {
    ascendcl::run(Library::Simulator, |current| {
        let stream = current.stream()?;
        let mut host = current.host_buffer::<u32>(3)?;
        host.copy_from_slice(&[1, 2, 3]);

        let copy = stream.copy_to_device(current, host, current.device_buffer(3)?)?;
        host.fill(0);
        let (_, device) = copy.wait(current)?;
        assert_eq!(device.to_vec(current)?, [1, 2, 3]);
        Ok(())
    })
}
