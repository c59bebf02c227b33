// ERR-01: the code of a raw call says whether it has queued the work.
use ascendcl::raw::RawMemory;
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream};
use std::ffi::c_void;

/// Stands for a function of another library.
fn fill_async(_stream: *mut c_void, _memory: RawMemory) -> i32 {
    0
}

pub fn fill<C: Brand>(current: &Current<C>, stream: &Stream<C>, buffer: DeviceBuffer<C, f32>) -> Result<(), Error> {
    // SAFETY: the function queues work on this stream, which fills the operand.
    let work = unsafe {
        stream.submit(current, "fillAsync", buffer, |stream, memory| {
            fill_async(stream, memory)
        })
    };
    work?.wait(current)?;
    Ok(())
}

fn main() {}
