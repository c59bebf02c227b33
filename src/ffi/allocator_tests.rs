//! An allocator between the library and the program that takes it back.

use super::*;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

/// Blocks in each method until the test releases it.
struct Waits {
    inside: Sender<()>,
    until: Mutex<Receiver<()>>,
}

impl Waits {
    fn called(&self) {
        self.inside.send(()).unwrap();
        self.until.lock().unwrap().recv().unwrap();
    }
}

// SAFETY: `DeviceAllocator` asks for device memory that work can use. No work runs in these tests.
unsafe impl DeviceAllocator for Waits {
    type Block = ();

    fn allocate(&self, _: usize) -> Option<()> {
        self.called();
        Some(())
    }

    fn address(&self, (): &()) -> DeviceAddress {
        DeviceAddress::new(0x1000).unwrap()
    }

    fn free(&self, (): ()) {
        self.called();
    }

    fn serves(&self, _: ContextId) -> bool {
        true
    }
}

/// An address that is passed to the library or returned by it.
#[derive(Clone, Copy)]
struct Handle(*mut c_void);

// SAFETY: sending the handle to another thread must not make a data race. The functions under test may be called on
// any thread.
unsafe impl Send for Handle {}

impl Handle {
    fn get(self) -> *mut c_void {
        self.0
    }
}

#[test]
fn an_allocator_is_not_taken_out_while_the_library_is_inside_or_has_a_block_and_nobody_waits() {
    let ((inside, comes_in), (lets_go, until)) = (channel(), channel());
    let registered = Registered::vacant();
    registered.put(Waits { inside, until: Mutex::new(until) });
    let object = Handle(object_of(&registered).as_ptr());
    let block = std::thread::scope(|scope| {
        // SAFETY: `allocate` asks for an object that is in place. This one outlives the threads.
        let allocates = scope.spawn(move || Handle(unsafe { allocate::<Waits>(object.get(), 1) }));
        comes_in.recv().unwrap();
        assert!(matches!(registered.take(), Err(Error::StillRunning { what: ObjectKind::ALLOCATOR })));
        lets_go.send(()).unwrap();
        allocates.join().unwrap()
    });
    assert!(matches!(registered.take(), Err(Error::BlocksInUse { count: 1 })));
    std::thread::scope(|scope| {
        // SAFETY: `free` asks for the object and a block of it, once. The object outlives the threads,
        // and the block is the answer of `allocate`.
        let frees = scope.spawn(move || unsafe { free::<Waits>(object.get(), block.get()) });
        comes_in.recv().unwrap();
        assert!(matches!(registered.take(), Err(Error::StillRunning { what: ObjectKind::ALLOCATOR })));
        lets_go.send(()).unwrap();
        frees.join().unwrap();
    });
    assert!(registered.take().is_ok());
    assert!(!registered.misbehaved());
}

#[test]
fn a_call_that_comes_when_the_allocator_is_not_there_gets_no_memory() {
    let registered = Registered::<Waits>::vacant();
    // SAFETY: `allocate` asks for an object that is in place. This one lives until the end of the test.
    let block = unsafe { allocate::<Waits>(object_of(&registered).as_ptr(), 1) };
    assert!(block.is_null());
    assert!(matches!(registered.take(), Err(Error::Gone { what: ObjectKind::ALLOCATOR })));
}

/// Counts its blocks that are out.
#[derive(Default)]
struct Counts(std::sync::atomic::AtomicUsize);

// SAFETY: `DeviceAllocator` asks for device memory that work can use. No work runs in these tests.
unsafe impl DeviceAllocator for Counts {
    type Block = u64;

    fn allocate(&self, size: usize) -> Option<u64> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Some(size as u64)
    }

    fn address(&self, block: &u64) -> DeviceAddress {
        DeviceAddress::new(*block as usize).unwrap()
    }

    fn free(&self, _: u64) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }

    fn serves(&self, _: ContextId) -> bool {
        true
    }
}

#[test]
fn an_allocator_that_threads_use_is_taken_out_without_blocks_and_each_block_keeps_its_address() {
    const ROUNDS: usize = 20_000;
    let registered = Registered::vacant();
    registered.put(Counts::default());
    let object = Handle(object_of(&registered).as_ptr());
    let calls = move |thread: usize| {
        let mut served = 0;
        for round in 0..ROUNDS {
            // SAFETY: `allocate` asks for an object that is in place. This one outlives the threads.
            let block = unsafe { allocate::<Counts>(object.get(), 1 + thread * ROUNDS + round) };
            if !block.is_null() {
                // SAFETY: `address_of` asks for a block that is out.
                assert_eq!(unsafe { address_of(block) }.addr(), 1 + thread * ROUNDS + round);
                // SAFETY: `free` asks for the object and a block of it, once.
                unsafe { free::<Counts>(object.get(), block) };
                served += 1;
            }
        }
        served
    };
    let (served, taken) = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3).map(|thread| scope.spawn(move || calls(thread))).collect();
        let mut taken = 0;
        while threads.iter().any(|thread| !thread.is_finished()) {
            match registered.take() {
                Ok(allocator) => {
                    assert_eq!(allocator.0.load(Ordering::Relaxed), 0, "a block is out");
                    taken += 1;
                    registered.put(allocator);
                }
                Err(error) => assert!(
                    matches!(error, Error::StillRunning { .. } | Error::BlocksInUse { count: 1..=3 }),
                    "{error:?}"
                ),
            }
        }
        (threads.into_iter().map(|thread| thread.join().unwrap()).sum::<usize>(), taken)
    });
    assert!(served > 0 && taken > 0, "{served} {taken}");
    assert_eq!(registered.take().unwrap().0.into_inner(), 0);
    assert!(!registered.misbehaved());
}

#[test]
fn a_block_that_comes_back_twice_or_from_nowhere_is_noted_and_frees_nothing() {
    let registered = Registered::vacant();
    registered.put(Counts::default());
    let object = object_of(&registered).as_ptr();
    // SAFETY: the functions ask for an object that is in place, and for its blocks. What is no block of it is not read.
    let (first, second) = unsafe { (allocate::<Counts>(object, 1), allocate::<Counts>(object, 2)) };
    // SAFETY: as above.
    unsafe { free::<Counts>(object, first) };
    assert!(!registered.misbehaved());
    // SAFETY: as above.
    unsafe { free::<Counts>(object, first) };
    assert!(registered.misbehaved());
    // SAFETY: as above.
    unsafe { free::<Counts>(object, second.wrapping_byte_add(8)) };
    assert!(matches!(registered.take(), Err(Error::BlocksInUse { count: 1 })));
    // SAFETY: as above.
    unsafe { free::<Counts>(object, second) };
    assert_eq!(registered.take().unwrap().0.into_inner(), 0);
}
