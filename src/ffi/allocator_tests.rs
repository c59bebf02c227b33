//! An allocator between the library and the program that takes it back.

use super::*;
use core::sync::atomic::AtomicUsize;
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
// SAFETY: sharing the handle must not make a data race. The functions under test may be called on any thread.
unsafe impl Sync for Handle {}

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
struct Counts(AtomicUsize);

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
    let registered = Registered::vacant();
    registered.put(Counts::default());
    let object = Handle(object_of(&registered).as_ptr());
    let (over, served) = (AtomicBool::new(false), AtomicUsize::new(0));
    let calls = |thread: usize| {
        let object = object.get();
        let mut size = thread;
        while !over.load(Ordering::Relaxed) {
            size += 2;
            // SAFETY: `allocate` asks for an object that is in place. This one outlives the threads.
            let block = unsafe { allocate::<Counts>(object, size) };
            if !block.is_null() {
                // SAFETY: `address_of` asks for a block that is out.
                assert_eq!(unsafe { address_of(block) }.addr(), size);
                // SAFETY: `free` asks for the object and a block of it, once.
                unsafe { free::<Counts>(object, block) };
                served.fetch_add(1, Ordering::Relaxed);
            }
            std::thread::yield_now();
        }
    };
    std::thread::scope(|scope| {
        let calls = &calls;
        for thread in [1, 2] {
            scope.spawn(move || calls(thread));
        }
        let (mut taken, mut wrong) = (0, Vec::new());
        while wrong.is_empty() && (taken < 100 || served.load(Ordering::Relaxed) < 100) {
            match registered.take() {
                Ok(allocator) => {
                    wrong.extend((allocator.0.load(Ordering::Relaxed) != 0).then(|| "a block is out".to_owned()));
                    taken += 1;
                    registered.put(allocator);
                }
                Err(Error::StillRunning { .. } | Error::BlocksInUse { count: 1 | 2 }) => {}
                Err(error) => wrong.push(format!("{error:?}")),
            }
            std::thread::yield_now();
        }
        over.store(true, Ordering::Relaxed);
        assert_eq!(wrong, Vec::<String>::new());
    });
    assert_eq!(registered.take().unwrap().0.into_inner(), 0);
    assert!(!registered.misbehaved());
}

#[test]
fn a_block_that_comes_back_twice_or_from_nowhere_is_noted_and_frees_nothing() {
    let registered = Registered::vacant();
    registered.put(Counts::default());
    let object = object_of(&registered).as_ptr();
    // SAFETY: `allocate` asks for an object that is in place. This one lives until the end of the test.
    let new = |size| unsafe { allocate::<Counts>(object, size) };
    // SAFETY: `free` asks for the object and a block of it. It reads nothing through a pointer that is no block.
    let give = |block| unsafe { free::<Counts>(object, block) };
    let (first, second) = (new(1), new(2));
    give(first);
    assert!(!registered.misbehaved());
    give(first);
    assert!(registered.misbehaved());
    give(second.wrapping_byte_add(8));
    assert!(matches!(registered.take(), Err(Error::BlocksInUse { count: 1 })));
    give(second);
    assert_eq!(registered.take().unwrap().0.into_inner(), 0);
}
