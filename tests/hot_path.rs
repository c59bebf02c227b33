//! Submitting, waiting and copying allocate nothing, however many objects are alive.
//!
//! The test uses a library that does nothing (`tests/null/library.c`), so every allocation comes from the safe layer.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use ascendcl::capture::CaptureMode;
use ascendcl::memory::Pages;
use ascendcl::{Acl, Brand, Current, Runtime, Thread, allocator::PoolAllocator};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ffi::c_void;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

ascendcl::names!(Owned);

const WARM_UP: usize = 100;
const ROUNDS: usize = 10_000;

#[test]
fn ten_thousand_submissions_and_waits_allocate_nothing() {
    OF_THE_TEST.set(true);
    let acl = Acl::init(common::library_at(library())).unwrap();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    device
        .with_current(&mut thread, |current| {
            let many = || (current.stream().unwrap(), current.device_buffer::<u8>(1).unwrap());
            let _live: Vec<_> = (0..1000).map(|_| many()).collect();
            work_allocates_nothing(current);
            models_allocate_nothing(current);
            callbacks_allocate_nothing(current);
            futures_allocate_nothing(current);
            blocks_of_a_pool_allocate_nothing(current);
            memory_of_the_host_is_given_back(current);

            let before = allocations();
            drop(Box::new(1));
            assert_eq!(allocations() - before, 1, "the counter counts");
        })
        .unwrap();
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    drop(thread);
    runtimes_allocate_nothing();
}

/// The library that does nothing, and whose models have an input and an output of ten numbers.
fn library() -> PathBuf {
    common::library_with_ports("null-library-with-ports", PORTS)
}

const PORTS: &str = r#"
    static aclError ten(struct dims *dims) { dims->count = 1; dims->sizes[0] = 10; return 0; }
    aclError aclmdlGetInputDims(handle d, size_t i, struct dims *dims) { (void)d; (void)i; return ten(dims); }
    aclError aclmdlGetOutputDims(handle d, size_t i, struct dims *dims) { (void)d; (void)i; return ten(dims); }
    int aclmdlGetInputDataType(handle d, size_t i) { (void)d; (void)i; return 0; }
    int aclmdlGetOutputDataType(handle d, size_t i) { (void)d; (void)i; return 0; }
    size_t aclmdlGetInputSizeByIndex(handle d, size_t i) { (void)d; (void)i; return 40; }
    size_t aclmdlGetOutputSizeByIndex(handle d, size_t i) { (void)d; (void)i; return 40; }
    handle aclCreateDataBuffer(void *start, size_t size) { (void)start; (void)size; return fresh(); }
    /* The description of a tensor of ten numbers. */
    handle aclmdlGetDatasetTensorDesc(handle d, size_t i) { (void)i; return d; }
    size_t aclGetTensorDescNumDims(handle t) { (void)t; return 1; }
    aclError aclGetTensorDescDimV2(handle t, size_t axis, int64_t *size) { (void)t; (void)axis; *size = 10; return 0; }
"#;

fn work_allocates_nothing<C: Brand>(current: &mut Current<C>) {
    let (mut stream, other) = (current.stream().unwrap().without_allocator(), current.stream().unwrap());
    let operands = (current.host_buffer::<f32>(64).unwrap(), current.upload(&[0.0_f32; 64]).unwrap());
    let graph = stream.capture(current, CaptureMode::Relaxed, operands, |capture, (host, mut device)| {
        (0..100).try_for_each(|_| capture.copy_to_device(&host, &mut device))
    });
    let mut graph = graph.unwrap();
    let default = current.default_stream();
    let mut model = current.load_model("model").unwrap().bind(current, &[&[10]], &[&[10]]).unwrap();
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
        assert!(taken.is_complete(current).unwrap());
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
}

/// The loop of a service that keeps a bound model, once with waits inside of the calls and once with work in flight.
fn models_allocate_nothing<C: Brand>(current: &mut Current<C>) {
    let stream = current.stream().unwrap().without_allocator();
    let mut model = current.load_model("model").unwrap().bind(current, &[&[10]], &[&[10]]).unwrap();
    let (mut from, mut to) = (current.host_buffer::<f32>(10).unwrap(), current.host_buffer::<f32>(10).unwrap());
    let mut third = current.upload(&[0.0_f32; 10]).unwrap();
    let (numbers, mut read) = ([1.0_f32; 10], [0.0_f32; 10]);
    let mut before = 0;
    for round in 0..WARM_UP + ROUNDS {
        if round == WARM_UP {
            before = allocations();
        }
        model.write(current, 0, &numbers).unwrap();
        stream.run_bound(current, &mut model).unwrap();
        model.read_into(current, 0, &mut read).unwrap();
        model.write(current, "x", &numbers).unwrap();
        stream.run_bound_within(current, &mut model, Duration::from_secs(60)).unwrap();
        model.read_into(current, "y", &mut read).unwrap();
        model.run(current).unwrap();
        model.read_into(current, 0, &mut read).unwrap();
        let (host, written) = stream.copy_to_input(current, from, model, 0).unwrap().split();
        let ran = stream.execute(current, written).unwrap();
        let copied = stream.copy_from_output(current, ran, 0, to).unwrap();
        let set = stream.set_bytes(current, third, 1).unwrap();
        let (copied, host, set) = copied.join(host).unwrap().and(set).unwrap().split();
        assert!(copied.is_complete(current).unwrap());
        (model, to) = copied.wait(current).unwrap();
        (from, third) = host.join(set).unwrap().wait_within(current, Duration::from_secs(60)).unwrap();
    }
    assert_eq!(allocations() - before, 0, "allocations in {ROUNDS} rounds of models");
}

/// A runtime is entered for each piece of work and for each wait.
fn runtimes_allocate_nothing() {
    let (runtime, (stream, buffer)) = Runtime::<Owned>::open_with(common::library_at(library()), |current| {
        Ok((current.stream()?, current.upload(&[0_u8; 4])?))
    })
    .unwrap();
    let (mut buffer, mut before) = (Some(buffer), 0);
    for round in 0..WARM_UP + ROUNDS {
        if round == WARM_UP {
            before = allocations();
        }
        let used = buffer.take().unwrap();
        let work = runtime.with(|current| stream.set_bytes(current, used, 1).unwrap()).unwrap();
        buffer = Some(runtime.with(|current| work.wait(current).unwrap()).unwrap());
    }
    assert_eq!(allocations() - before, 0, "allocations in {ROUNDS} rounds of a runtime");
    runtime.close().unwrap();
}

fn callbacks_allocate_nothing<C: Brand>(current: &Current<C>) {
    let stream = current.stream().unwrap();
    let mut before = 0;
    for round in 0..WARM_UP + ROUNDS {
        if round == WARM_UP {
            before = allocations();
        }
        // Two types of callbacks, one after the other.
        let first = stream.launch_host_fn(current, move || round).unwrap();
        assert!(first.is_complete(current).unwrap());
        let second = stream.launch_host_fn(current, move || [round; 3]).unwrap();
        assert!(second.is_complete(current).unwrap());
        assert_eq!(first.wait(current).unwrap().into_result().unwrap(), round);
        assert_eq!(second.wait(current).unwrap().into_result().unwrap(), [round; 3]);
    }
    assert_eq!(allocations() - before, 0, "allocations in {ROUNDS} rounds of callbacks");
    // The memory of a callback of more than 4 KiB is not kept.
    let before = allocations();
    for number in 0..5_u8 {
        let large = [number; 5000];
        let reply =
            stream.launch_host_fn(current, move || large.iter().map(|byte| usize::from(*byte)).sum::<usize>()).unwrap();
        assert!(reply.is_complete(current).unwrap());
        assert_eq!(reply.wait(current).unwrap().into_result().unwrap(), usize::from(number) * 5000);
    }
    assert_eq!(allocations() - before, 5, "one for each large callback");
}

fn futures_allocate_nothing<C: Brand>(current: &Current<C>) {
    let mut stream = current.stream().unwrap();
    let mut task = Context::from_waker(Waker::noop());
    let (mut host, mut device) = (current.host_buffer::<f32>(64).unwrap(), current.upload(&[0.0_f32; 64]).unwrap());
    let mut before = (0, 0);
    for round in 0..WARM_UP + ROUNDS {
        if round == WARM_UP {
            // The thread that watches the futures was started in the first round.
            std::thread::sleep(Duration::from_millis(100));
            before = (allocations(), of_other_threads());
        }
        let copy = stream.copy_to_device(current, host, device).unwrap();
        let mut future = pin!(copy.into_future(current, &mut stream).unwrap());
        let Poll::Ready(copied) = future.as_mut().poll(&mut task) else { panic!("work of this library is done") };
        let (from, to) = copied.unwrap();
        let copy = stream.copy_to_host(current, to, from).unwrap();
        let mut done = pin!(copy.when_done(current, &stream).unwrap());
        let Poll::Ready(copy) = done.as_mut().poll(&mut task) else { panic!("work of this library is done") };
        (device, host) = copy.wait(current).unwrap();
    }
    assert_eq!(allocations() - before.0, 0, "allocations in {ROUNDS} rounds of futures");
    assert_eq!(of_other_threads() - before.1, 0, "allocations of the thread that watches");
}

fn blocks_of_a_pool_allocate_nothing<C: Brand>(current: &Current<C>) {
    // SAFETY: the library was compiled from a source of these tests, without initialisers.
    let library = unsafe { libloading::Library::new(library()) }.unwrap();
    // SAFETY: the function has this signature in the source of the library. It gives a block out and takes it back.
    let round_trip = *unsafe { library.get::<unsafe extern "C" fn(usize) -> *mut c_void>("null_round_trip") }.unwrap();
    let stream = current.stream().unwrap();
    let stream = stream.register(current, PoolAllocator::new(current, 1 << 20).unwrap()).unwrap();
    let mut before = 0;
    for round in 0..WARM_UP + ROUNDS {
        if round == WARM_UP {
            before = allocations();
        }
        // SAFETY: an allocator is registered, and nothing is read from the block.
        assert!(!unsafe { round_trip(1 << (round % 12)) }.is_null());
    }
    assert_eq!(allocations() - before, 0, "allocations in {ROUNDS} round trips");
    let (_stream, pool) = stream.unregister(current).unwrap();
    assert_eq!(pool.statistics().blocks_in_use, 0);
}

/// Counts the allocations of each thread.
struct Counting;

/// Memory of the program that the library uses, or is told of, goes back to the allocator of the program.
fn memory_of_the_host_is_given_back<C: Brand>(current: &Current<C>) {
    let before = LIVE.get();
    for _ in 0..16 {
        current.pageable_buffer(vec![0_u8; 1 << 16]).free(current).unwrap();
        drop(Pages::<u8>::zeroed(1 << 16).unwrap());
    }
    assert!(LIVE.get() - before < 1 << 18, "{} bytes are lost", LIVE.get() - before);
}

thread_local! {
    /// The bytes that this thread has allocated and not given back.
    static LIVE: Cell<isize> = const { Cell::new(0) };
}
thread_local!(static ALLOCATIONS: Cell<usize> = const { Cell::new(0) });
thread_local!(static OF_THE_TEST: Cell<bool> = const { Cell::new(false) });
/// Those of all threads but the test's.
static OF_OTHERS: AtomicUsize = AtomicUsize::new(0);

fn allocations() -> usize {
    ALLOCATIONS.get()
}

fn of_other_threads() -> usize {
    OF_OTHERS.load(Ordering::Relaxed)
}

// SAFETY: a global allocator keeps the contract of `GlobalAlloc`: this one hands everything on to the system's, which
// does.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        LIVE.set(LIVE.get() + layout.size() as isize);
        OF_OTHERS.fetch_add(usize::from(!OF_THE_TEST.get()), Ordering::Relaxed);
        // SAFETY: the system's allocator asks for a layout that is not of size 0, which the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        LIVE.set(LIVE.get() - layout.size() as isize);
        // SAFETY: the system's allocator asks for a block of its own with this layout. `alloc` got it there, as the
        // caller promises.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;
