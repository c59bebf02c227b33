//! Functions that the safe layer does not have: `cargo run --example 14_raw_calls`.
//!
//! `submit` lends the stream and the memory of its operands to a function of yours, and gives the work back as a `Pending`
//! like any other. Here it queues a copy of a part of an image, row by row (`aclrtMemcpy2dAsync`).

use ascendcl::{Error, Library, RunError};
use ascendcl_sys::error_codes::ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
use ascendcl_sys::types::{aclrtMemcpyKind, aclrtStream};

const WIDTH: usize = 8;
const ROWS: usize = 2;

fn main() -> Result<(), RunError<Error>> {
    ascendcl::run(Library::VendorOrSimulator, |current| {
        let stream = current.stream()?;
        let mut image = current.host_buffer::<u8>(WIDTH * ROWS)?;
        image.iter_mut().zip(0..).for_each(|(pixel, number)| *pixel = number);
        let part = current.device_buffer::<u8>(4 * ROWS)?.zero(current)?;

        // Mistake: calling it without saying who keeps the promises.
        // Refused: `ui-tests/fail/foreign_work_without_unsafe.rs`:
        //     error[E0133]: call to unsafe function

        // Mistake: memory of another context. The device would write to an address that is not there.
        // Refused: `ui-tests/fail/foreign_work_with_a_buffer_of_another_context.rs`:
        //     cannot be used by work of this stream
        // ANCHOR: submit
        let functions = current.library().as_raw();
        // SAFETY: `submit` asks for a call that queues work on this stream, uses no memory but that of the operands, and
        // answers with its code. The function reads 4 bytes in each of two rows of 8, which the first operand holds, and
        // writes 4 in each of two rows of 4, which the second holds.
        let work = unsafe {
            stream.submit(current, "aclrtMemcpy2dAsync", (image, part), |stream, (image, part)| {
                let copy = aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE;
                let stream = aclrtStream(stream);
                let code = functions.aclrtMemcpy2dAsync(part.start, 4, image.start, WIDTH, 4, ROWS, copy, stream);
                // A library that lacks the function has queued nothing.
                code.unwrap_or(ACL_ERROR_RT_FEATURE_NOT_SUPPORT)
            })
        }
        .map_err(|failed| failed.error)?;
        let (_, part) = work.wait(current)?;
        // ANCHOR_END: submit
        println!("1 the left half of each row: {:?}", part.to_vec(current)?);
        Ok(())
    })
}
