//! One stream writes a buffer, and another one copies it to the host.
//!
//! Repair it: nothing orders the two streams. The host does not have to wait between them.

use ascendcl::{DeviceBuffer, Error, Library, RunError};

fn main() -> Result<(), RunError<Error>> {
    ascendcl::run(Library::Simulator, |current| {
        let (writes, reads) = (current.stream()?, current.stream()?);
        let work = writes.set_bytes(current, current.device_buffer::<u8>(4)?, 7)?;
        let device: DeviceBuffer<_, u8> = work;
        let (_device, host) = reads.copy_to_host(current, device, current.host_buffer(4)?)?.wait(current)?;
        assert_eq!(host[..], [7; 4]);
        Ok(())
    })
}
