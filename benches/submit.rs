//! What the safe layer adds to a queued copy and a wait, over the same calls of the library without it.
//!
//! `cargo bench --bench submit` prints times. For instructions, which do not depend on what else the machine does:
//!
//! ```sh
//! cargo bench --bench submit --no-run     # prints the file to run
//! for side in raw safe runtime enter scope; do valgrind --tool=callgrind --callgrind-out-file=/dev/null FILE $side 100000; done
//! ```
//!
//! and divide the difference of the two `Collected` lines by the number of rounds. The library is one that does nothing
//! (`tests/null/library.c`).
//!
//! `replay` replays a captured graph of a hundred copies and waits. `raw`, `safe` and `runtime` copy and wait: by the calls themselves, in a scope, and in a `Runtime`. `scope` and `enter` make a
//! context current and leave it: a scope's, and a runtime's.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

#[path = "../tests/common/mod.rs"]
mod common;

use ascendcl::capture::CaptureMode;
use ascendcl::{Acl, Brand, Current, Runtime, Scoped, Thread};
use ascendcl_sys::types::{aclrtMemcpyKind, aclrtStream};
use std::ffi::c_void;
use std::path::Path;
use std::ptr::null_mut;
use std::time::{Duration, Instant};

const ROUNDS: u32 = 1_000_000;

fn main() {
    let library = common::null_library();
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    match (words.next().as_deref(), words.next().and_then(|rounds| rounds.parse().ok())) {
        (Some("raw"), rounds) => drop(raw(&library, rounds.unwrap_or(ROUNDS))),
        (Some("safe"), rounds) => drop(safe(&library, rounds.unwrap_or(ROUNDS))),
        (Some("runtime"), rounds) => {
            runtime(&library, |runtime| runtime.with(|current| copies(current, rounds)).unwrap())
        }
        (Some("replay"), rounds) => drop(scoped(&library, |current| replays(current, rounds.unwrap_or(ROUNDS)))),
        (Some("enter"), rounds) => runtime(&library, |runtime| {
            (0..rounds.unwrap_or(ROUNDS)).for_each(|_| runtime.with(|_| ()).unwrap());
        }),
        (Some("scope"), rounds) => scope(&library, rounds.unwrap_or(ROUNDS)),
        _ => {
            let (raw, safe) = (raw(&library, ROUNDS), safe(&library, ROUNDS));
            println!("raw:  {:.1} ns per copy and wait", nanoseconds(raw));
            println!("safe: {:.1} ns per copy and wait", nanoseconds(safe));
        }
    }
}

fn nanoseconds(elapsed: Duration) -> f64 {
    elapsed.as_secs_f64() * 1e9 / f64::from(ROUNDS)
}

/// The calls themselves, through the addresses that the dynamic loader gives.
fn raw(library: &Path, rounds: u32) -> Duration {
    // SAFETY: the library was just built, and its functions have the signatures of the table.
    let library = unsafe { libloading::Library::new(library) }.unwrap();
    // SAFETY: as above.
    let copy = *unsafe { library.get::<ascendcl_sys::pointers::aclrtMemcpyAsync>("aclrtMemcpyAsync") }.unwrap();
    // SAFETY: as above.
    let wait =
        *unsafe { library.get::<ascendcl_sys::pointers::aclrtSynchronizeStream>("aclrtSynchronizeStream") }.unwrap();
    let mut block = [0_u8; 64];
    let start = Instant::now();
    for _ in 0..rounds {
        let to = std::hint::black_box(block.as_mut_ptr().cast::<c_void>());
        // SAFETY: the library does nothing with its arguments.
        let codes = unsafe {
            let kind = aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE;
            (copy(to, 64, to, 64, kind, aclrtStream(null_mut())), wait(aclrtStream(null_mut())))
        };
        assert_eq!(codes, (0, 0));
    }
    start.elapsed()
}

/// The same through the safe layer.
fn safe(library: &Path, rounds: u32) -> Duration {
    scoped(library, |current| copies(current, Some(rounds)))
}

fn scoped(library: &Path, program: impl for<'c> FnOnce(&mut Current<Scoped<'c>>) -> Duration) -> Duration {
    let acl = Acl::init(common::library_at(library)).unwrap();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let elapsed = device.with_current(&mut thread, program);
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    elapsed.unwrap()
}

fn copies<C: Brand>(current: &Current<C>, rounds: Option<u32>) -> Duration {
    let stream = current.stream().unwrap();
    let mut host = current.host_buffer::<u8>(64).unwrap();
    let mut target = current.upload(&[0_u8; 64]).unwrap();
    let start = Instant::now();
    for _ in 0..rounds.unwrap_or(ROUNDS) {
        (host, target) = stream.copy_to_device(current, host, target).unwrap().wait(current).unwrap();
    }
    start.elapsed()
}

fn replays<C: Brand>(current: &mut Current<C>, rounds: u32) -> Duration {
    let mut stream = current.stream().unwrap().without_allocator();
    let operands = (current.host_buffer::<u8>(64).unwrap(), current.upload(&[0_u8; 64]).unwrap());
    let graph = stream.capture(current, CaptureMode::Relaxed, operands, |capture, (host, mut device)| {
        (0..100).try_for_each(|_| capture.copy_to_device(&host, &mut device))
    });
    let mut graph = graph.unwrap();
    let start = Instant::now();
    for _ in 0..rounds {
        graph = stream.replay(current, graph).unwrap().wait(current).unwrap();
    }
    start.elapsed()
}

ascendcl::names!(Copies);

fn runtime<R>(library: &Path, program: impl FnOnce(&Runtime<Copies>) -> R) {
    let runtime = Runtime::open(common::library_at(library)).unwrap();
    program(&runtime);
    runtime.close().unwrap();
}

/// Enters a context of a scope again and again.
fn scope(library: &Path, rounds: u32) {
    let acl = Acl::init(common::library_at(library)).unwrap();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let entered = device.context(&mut thread, |context, thread| {
        (0..rounds).for_each(|_| context.enter(thread, |_| ()).unwrap());
    });
    entered.unwrap();
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
}
