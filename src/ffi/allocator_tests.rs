//! An allocator between the library and the program that takes it back.

use super::*;
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
