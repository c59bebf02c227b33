//! Streams: work in order, beside the program: `cargo run --example 03_streams`.
//!
//! What is queued on one stream runs in order; two streams run side by side. What work uses is out of reach until that work
//! was waited for, and it can be handed on to more work on the same stream without a wait.

#![allow(clippy::indexing_slicing, reason = "a failure of an example ends it")]

use ascendcl::{Error, Library, RunError};

fn main() -> Result<(), RunError<Error>> {
    ascendcl::run(Library::VendorOrSimulator, |current| {
        let stream = current.stream()?;
        let mut host = current.host_buffer::<u32>(3)?;
        host.copy_from_slice(&[1, 2, 3]);

        // Three steps and one wait: each takes the buffers of the step before it.
        let (_, device) = stream.copy_to_device(current, host, current.device_buffer(3)?)?.split();
        let (_, copy) = stream.copy_on_device(current, device, current.device_buffer(3)?)?.split();
        let (_, back) = stream.copy_to_host(current, copy, current.host_buffer(3)?)?.wait(current)?;
        println!("1 to the device, on the device, and back: {:?}", &back[..]);

        // Mistake: reading the result before the wait.
        // Refused: `ui-tests/fail/outputs_read_in_flight.rs`:
        //     error[E0277]: this work is in flight: the host can use its buffers, models and tensors after a wait

        // Mistake: one buffer in the work of two streams at once.
        // Refused: `ui-tests/fail/buffer_on_two_streams_at_once.rs`:
        //     error[E0308]: mismatched types
        let second = current.stream()?;
        let first = stream.set_bytes(current, current.device_buffer::<u8>(2)?, 1)?;
        let other = second.set_bytes(current, current.device_buffer::<u8>(2)?, 2)?;
        let (first, other) = (first.wait(current)?, other.wait(current)?);
        println!("2 two streams, a buffer each: {:?} {:?}", first.to_vec(current)?, other.to_vec(current)?);

        stream.destroy(current)?;
        // Mistake: queueing on a stream that is gone. The vendor's library returns 107017, or uses the next stream at that
        // address.
        // Refused: `ui-tests/fail/stream_used_after_destroy.rs`:
        //     error[E0382]: borrow of moved value: `stream`
        drop(second);
        println!("3 one stream was destroyed; the other one is, at the end of the scope");
        Ok(())
    })
}
