//! Functions that the safe layer does not have: `cargo run --example 14_raw_calls`.
//!
//! `submit` lends the stream and the memory of its operands to a function of yours, and gives the work back as a `Pending`
//! like any other. Here it queues the write of one number behind a copy (`aclrtValueWrite`): a counter in device memory
//! that says how far the stream has come.

use ascendcl::{Error, Library, RunError};
use ascendcl_sys::types::aclrtStream;

fn main() -> Result<(), RunError<Error>> {
    ascendcl::run(Library::VendorOrSimulator, |current| {
        let stream = current.stream()?;
        let image = current.pageable_buffer(vec![7_u8; 64]);
        let (image, device) = stream.copy_to_device(current, image, current.device_buffer(64)?)?.split();
        let counter = current.upload(&[0_u64])?;

        // Mistake: calling `submit` without `unsafe`. The compiler cannot check what the function does.
        // Refused: `ui-tests/fail/foreign_work_without_unsafe.rs`:
        //     error[E0133]: call to unsafe function

        // Mistake: memory of another context. The device would write to an address that is not there.
        // Refused: `ui-tests/fail/foreign_work_with_a_buffer_of_another_context.rs`:
        //     cannot be used by work of this stream
        // ANCHOR: submit
        let functions = current.library().as_raw();
        // SAFETY: `submit` asks for a call that queues work on this stream, uses no memory but that of the operands, and
        // returns its code. The function writes one number of 64 bits at the address, which the operand holds.
        let counted = unsafe {
            stream.submit(current, "aclrtValueWrite", counter, |stream, counter| {
                functions.aclrtValueWrite(counter.start, 1, 0, aclrtStream(stream))
            })
        }?;
        let (_image, (_device, counter)) = image.join(device.join(counted)?)?.wait(current)?;
        // ANCHOR_END: submit
        println!("1 copies that are over: {:?}", counter.to_vec(current)?);
        Ok(())
    })
}
