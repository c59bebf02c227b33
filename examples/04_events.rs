//! Events: points in the work of a stream: `cargo run --example 04_events`.
//!
//! One stream waits for a point in the work of another one, and the device tells the time between two points.

#![allow(clippy::indexing_slicing, reason = "a failure of an example ends it")]

use ascendcl::{Error, Library, RunError};

fn main() -> Result<(), RunError<Error>> {
    ascendcl::run(Library::VendorOrSimulator, |current| {
        let (writes, reads) = (current.stream()?, current.stream()?);
        let start = writes.record(current, current.event()?)?;
        let work = writes.set_bytes(current, current.device_buffer::<u8>(4)?, 7)?;

        let event = current.event()?;
        // Mistake: waiting for an event that was never recorded. The vendor's library refuses it with 107000; its wait of the
        // host returns at once, and reports success.
        // Refused: `ui-tests/fail/event_awaited_before_it_is_recorded.rs`:
        //     error[E0277]: an event in state `Unrecorded` cannot be waited for
        let written = writes.record(current, event)?;

        // The work moves to the other stream, behind the event: no wait of the host is between them.
        let work = reads.adopt_after(current, work, &written)?;
        let (device, host) = reads.copy_to_host(current, work, current.host_buffer(4)?)?.wait(current)?;
        println!("1 written by one stream and read by another: {:?}", &host[..]);

        // Mistake: recording an event again while a stream is told to wait for it. Which point does it wait for?
        // Refused: `ui-tests/fail/event_recorded_again_under_a_wait.rs`:
        //     error[E0505]: cannot move out of `event` because it is borrowed
        println!("2 the first point is over: {}", start.is_complete(current)?);
        println!("3 time passed on the device: {}", written.milliseconds_since(current, &start)? >= 0.0);
        device.free(current)?;
        Ok(())
    })
}
