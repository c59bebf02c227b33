//! Memory of the device and of the host: `cargo run --example 02_buffers`.
//!
//! The device and the host do not see each other's memory. New memory holds anything. What queued work uses must stay where
//! it is until the work is done. The types of buffers say which of this holds.

use ascendcl::{Error, Library, RunError};

fn main() -> Result<(), RunError<Error>> {
    ascendcl::run(Library::VendorOrSimulator, |current| {
        let buffer = current.device_buffer::<f32>(4)?;
        // Mistake: reading memory that nobody wrote. It holds what an earlier program left.
        // Refused: `ui-tests/fail/unwritten_buffer_read.rs`:
        //     error[E0277]: elements of type `MaybeUninit<f32>` cannot be read, copied or used by work
        let buffer = buffer.write(current, &[1.0, 2.0, 3.0, 4.0])?;
        println!("1 written and read back: {:?}", buffer.to_vec(current)?);

        // Mistake: following a pointer to device memory on the host. It crashes, or reads something else.
        // Refused: `ui-tests/fail/device_memory_read_by_the_host.rs`:
        //     error[E0277]: the host cannot access device memory
        buffer.free(current)?;
        // Mistake: using it after that. The library may have given the address to someone else.
        // Refused: `ui-tests/fail/buffer_used_after_free.rs`:
        //     error[E0382]: borrow of moved value: `buffer`

        let stream = current.stream()?;
        // Mistake: a queued copy from a `Vec`. The vendor's library may read it after it was dropped.
        // Refused: `ui-tests/fail/ordinary_memory_in_a_queued_copy.rs`:
        //     error[E0277]: `Vec<f32>` cannot be used here: expected `HostBuffer<C, _>`
        let mut pinned = current.host_buffer::<f32>(4)?;
        pinned.copy_from_slice(&[5.0, 6.0, 7.0, 8.0]);
        let copy = stream.copy_to_device(current, pinned, current.device_buffer(4)?)?;
        // Mistake: writing the next image while the copy of this one is under way.
        // Refused: `ui-tests/fail/buffer_touched_in_flight.rs`:
        //     error[E0382]: borrow of moved value: `image`
        let (mut pinned, device) = copy.wait(current)?;
        pinned.fill(0.0);
        println!("2 copied while the program went on: {:?}", device.to_vec(current)?);

        let image = vec![9.0_f32; 4];
        let device = current.copy_scope(|current, copies| {
            let copy = copies.copy_to_device(current, &stream, &image, device)?;
            copy.wait(current).map_err(Error::from)
        })??;
        println!("3 a slice of the program, borrowed for a copy: {:?}", device.to_vec(current)?);
        Ok(())
    })
}
