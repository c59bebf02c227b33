//! A set of memory is queued with the vendor's function instead of `set_bytes`.
//!
//! Repair it: nobody has said who checks what the function does.

use ascendcl::{Error, Library, RunError};
use ascendcl_sys::types::aclrtStream;

fn main() -> Result<(), RunError<Error>> {
    ascendcl::run(Library::Simulator, |current| {
        let (stream, functions) = (current.stream()?, current.library().as_raw());
        let buffer = current.device_buffer::<u8>(4)?.zero(current)?;
        // SAFETY: the function queues one set on this stream, and writes the 4 bytes of the operand.
        let work = unsafe {
            stream.submit(current, "aclrtMemsetAsync", buffer, |stream, buffer| {
                functions.aclrtMemsetAsync(buffer.start, 4, 9, 4, aclrtStream(stream))
            })
        };
        let buffer = work?.wait(current)?;
        assert_eq!(buffer.to_vec(current)?, [9; 4]);
        Ok(())
    })
}
