//! One stream waits for a point in the work of another one.
//!
//! Repair it: nothing has recorded that point. The vendor's library would refuse the wait (107000).

use ascendcl::{Error, Library, RunError};

fn main() -> Result<(), RunError<Error>> {
    ascendcl::run(Library::Simulator, |current| {
        let (writes, reads) = (current.stream()?, current.stream()?);
        let work = writes.set_bytes(current, current.device_buffer::<u8>(4)?, 7)?;
        let event = current.event()?;
        reads.wait_for(current, &event)?;
        reads.synchronize(current)?;
        assert_eq!(work.wait(current)?.to_vec(current)?, [7; 4]);
        Ok(())
    })
}
