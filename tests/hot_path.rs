//! Submitting, waiting and copying allocate nothing, however many objects are alive.
//!
//! The test uses a library that does nothing (`tests/null/library.c`), so every allocation comes from the safe layer.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use ascendcl::capture::CaptureMode;
use ascendcl::{Acl, Thread};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::Duration;

const WARM_UP: usize = 100;
const ROUNDS: usize = 10_000;

#[test]
fn ten_thousand_submissions_and_waits_allocate_nothing() {
    let acl = Acl::init(common::library_at(common::null_library())).unwrap();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    device
        .with_current(&mut thread, |current| {
            let many = || (current.stream().unwrap(), current.device_buffer::<u8>(1).unwrap());
            let _live: Vec<_> = (0..1000).map(|_| many()).collect();

            let (mut stream, other) = (current.stream().unwrap().without_allocator(), current.stream().unwrap());
            let operands = (current.host_buffer::<f32>(64).unwrap(), current.upload(&[0.0_f32; 64]).unwrap());
            let graph = stream.capture(current, CaptureMode::Relaxed, operands, |capture, (host, mut device)| {
                (0..100).try_for_each(|_| capture.copy_to_device(&host, &mut device))
            });
            let mut graph = graph.unwrap();
            let default = current.default_stream();
            let mut model = current.load_model("model").unwrap().bind(current, &[], &[]).unwrap();
            let mut event = stream.record(current, current.event().unwrap()).unwrap();
            let mut host = current.host_buffer::<f32>(64).unwrap();
            let mut filled = current.upload(&[0.0_f32; 64]).unwrap();
            let mut second = current.upload(&[0.0_f32; 64]).unwrap();
            let mut pageable = current.pageable_buffer(vec![0.0_f32; 64]);
            let mut plain = [0.0_f32; 64];
            let mut before = 0;
            for round in 0..WARM_UP + ROUNDS {
                if round == WARM_UP {
                    before = allocations();
                }
                (host, filled) = stream.copy_to_device(current, host, filled).unwrap().wait(current).unwrap();
                let copy = stream.copy_to_host(current, filled, host).unwrap();
                (filled, host) = copy.wait_within(current, Duration::from_secs(60)).unwrap();
                filled.copy_from(current, &plain).unwrap();
                filled.copy_to(current, &mut plain).unwrap();
                model = stream.execute(current, model).unwrap().wait(current).unwrap();
                event = stream.record(current, event).unwrap();
                other.wait_for(current, &event).unwrap();
                event.synchronize(current).unwrap();
                (host, filled) = default.copy_to_device(current, host, filled).unwrap().wait(current).unwrap();
                let (from, set) = (filled, stream.set_bytes(current, second, 1).unwrap());
                let (from, set) = stream.copy_on_device(current, from, set).unwrap().split();
                let taken = other.adopt_after(current, set, &event).map_err(|failed| failed.value).unwrap_err();
                event = stream.record(current, event).unwrap();
                let taken = other.adopt_after(current, taken, &event).unwrap();
                assert!(taken.is_done(current).unwrap());
                second = taken.wait(current).unwrap();
                let (from, pageable_there) = stream.copy_to_host(current, from, pageable).unwrap().split();
                let part = stream.copy_part_to_host(current, from, 0..8, pageable_there, 8).unwrap();
                (filled, pageable) = part.wait(current).unwrap();
                graph.operands(current).unwrap().0.fill(1.0);
                let replayed = stream.replay(current, graph).unwrap();
                graph = stream.replay(current, replayed).unwrap().wait(current).unwrap();
                stream.synchronize(current).unwrap();
            }
            drop((model, event, graph));
            assert_eq!(allocations() - before, 0, "allocations in {ROUNDS} rounds");

            let before = allocations();
            drop(Box::new(1));
            assert_eq!(allocations() - before, 1, "the counter counts");
        })
        .unwrap();
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
}

/// Counts the allocations of each thread.
struct Counting;

thread_local!(static ALLOCATIONS: Cell<usize> = const { Cell::new(0) });

fn allocations() -> usize {
    ALLOCATIONS.get()
}

// SAFETY: a global allocator keeps the contract of `GlobalAlloc`: this one hands everything on to the system's, which
// does.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the system's allocator asks for a layout that is not of size 0, which the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the system's allocator asks for a block of its own with this layout. `alloc` got it there, as the
        // caller promises.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;
