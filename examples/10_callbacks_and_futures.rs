//! Callbacks and futures: `cargo run --example 10_callbacks_and_futures`.
//!
//! A callback is a function of the host in the order of a stream. A future is done when queued work is done.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a failure of an example ends it")]

use ascendcl::{Error, Library, RunError};

fn main() -> Result<(), RunError<Error>> {
    ascendcl::run(Library::VendorOrSimulator, |current| {
        let mut stream = current.stream()?;
        let words = ["copied", "summed"];
        // Mistake: a callback that borrows from the function that queues it. It may run after that function has returned.
        // Refused: `ui-tests/fail/callback_with_a_borrow.rs`:
        //     error[E0597]: `words` does not live long enough
        let work = stream.set_bytes(current, current.device_buffer::<u8>(8)?, 1)?;
        let reply = stream.launch_host_fn(current, move || words.len())?;
        println!("1 the callback ran after the work: {}", reply.wait(current)?.into_result()?);

        // Mistake: `.await` on work alone. Somebody has to watch its stream.
        // Refused: `ui-tests/fail/work_awaited_without_its_stream.rs`:
        //     error[E0277]: work is awaited with the stream that it is on
        let buffer = pollster::block_on(work.into_future(current, &mut stream)?)?;
        println!("2 awaited: {:?}", buffer.to_vec(current)?);

        // A panic in a callback stays in the program: the library never sees it.
        let quiet = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let reply = stream.launch_host_fn(current, || panic!("out of paper"))?;
        let told = reply.wait(current)?.into_result().unwrap_err();
        std::panic::set_hook(quiet);
        println!("3 {told}");
        Ok(())
    })
}
