//! Operations of `benches/cost/operations.rs` through the crate `cann`, as far as it has them. Callgrind counts them:
//! `tools/cann-cost.sh` runs this.

#[allow(dead_code, reason = "times are not measured here")]
#[path = "../../cost/count.rs"]
mod count;

use cann::buffer::{DeviceBuffer, HostBuffer, MemFlags, MemcpyKind, memcpy, memcpy_async};
use cann::event::Event;
use cann::stream::Stream;
use count::rounds;

const BYTES: usize = 64;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [operation, n] = words.as_slice() else { panic!("say an operation and how many rounds") };
    run(operation, n.parse().unwrap());
}

fn run(operation: &str, n: u32) {
    let (stream, event) = (Stream::new().unwrap(), Event::new().unwrap());
    let (device, host) = (DeviceBuffer::alloc(BYTES, MemFlags::HugeFirst).unwrap(), HostBuffer::alloc(BYTES).unwrap());
    let (to, from) = (device.as_ptr().cast_mut().cast(), host.as_ptr().cast());
    // SAFETY: both buffers have so many bytes, and live until the end. The library that is measured does nothing.
    let copy = || unsafe { memcpy_async(MemcpyKind::HostToDevice, to, from, BYTES, &stream) };
    let done = |done: Result<(), cann::Error>| done.unwrap();
    match operation {
        "Copy" => rounds(n, (), |()| copy(), done),
        "CopyAndWait" => rounds(n, (), |()| copy().and_then(|()| stream.synchronize()), done),
        "Record" => rounds(n, (), |()| event.record(Some(&stream)), done),
        "WaitFor" => rounds(n, (), |()| event.stream_wait(&stream), done),
        "Synchronize" => rounds(n, (), |()| stream.synchronize(), done),
        // SAFETY: both buffers have so many bytes, and live until the end.
        "CopyNow" => rounds(n, (), |()| unsafe { memcpy(MemcpyKind::HostToDevice, to, from, BYTES) }, done),
        "Stream" => rounds(n, (), |()| Stream::new().map(drop), done),
        "Event" => rounds(n, (), |()| Event::new().map(drop), done),
        "Buffer" => rounds(n, (), |()| DeviceBuffer::alloc(BYTES, MemFlags::HugeFirst).map(drop), done),
        other => panic!("`{other}` is no operation of `cann`"),
    }
}
