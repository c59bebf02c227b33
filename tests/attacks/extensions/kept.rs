//! Memory and allocators of the program that objects of other crates keep, and how these objects end.

use super::super::with_device;
use super::*;
use crate::common::allocators::{Empty, Watch, Watched};
use crate::common::{acl, assert_lives};
use ascendcl::raw::{AllocatorFunctions, AllocatorSlot, Attach, EndingContext, EndsBefore, LibraryUser};
use ascendcl::{ScopeError, Thread, allocator::PoolAllocator};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

#[proves(MEM_02)]
#[test]
fn memory_that_is_kept_is_not_collected_before_it_is_dropped() {
    let alone = alone();
    inside(|current| {
        let kept = current.upload(&[1_u8; 64]).unwrap().keep();
        let (other, start) = (kept.clone(), kept.start());
        drop(kept);
        collect(current);
        assert_lives!(device_blocks, 1);
        assert_eq!(other.start(), start);
        drop(other);
        collect(current);
        assert_lives!(device_blocks, 0);
    });
    alone.assert_nothing_lives();
}

/// A block, as a library in C has it.
fn block_of(functions: AllocatorFunctions, bytes: usize) -> *mut c_void {
    // SAFETY: the callers have what keeps the slot.
    unsafe { (functions.allocate)(functions.object, bytes) }
}

fn give_back(functions: AllocatorFunctions, block: *mut c_void) {
    // SAFETY: the block is one of `block_of`, and is given back once.
    unsafe { (functions.free)(functions.object, block) };
}

#[proves(ALLOC_12, ALLOC_19)]
#[test]
fn an_allocator_is_not_taken_out_of_its_slot_while_a_block_is_out_and_an_empty_slot_has_no_memory() {
    let alone = alone();
    inside(|current| {
        let (slot, kept) = AllocatorSlot::<PoolAllocator>::new();
        let functions = slot.functions().unwrap();
        assert!(block_of(functions, 64).is_null() && !slot.misbehaved(), "the slot is empty");
        slot.put(PoolAllocator::new(current, 4096).unwrap()).map_err(Error::from).unwrap();
        let second = slot.put(PoolAllocator::new(current, 4096).unwrap()).unwrap_err();
        assert!(matches!(second.error, Error::StillRunning { what: ObjectKind::ALLOCATOR }), "{second}");
        second.value.release(current).unwrap();
        let block = block_of(functions, 64);
        assert!(matches!(slot.take(), Err(Error::BlocksInUse { count: 1 })));
        slot.with_allocator(|_| assert!(matches!(slot.take(), Err(Error::StillRunning { .. })))).unwrap();
        give_back(functions, block);
        assert!(!slot.misbehaved());
        slot.take().unwrap().release(current).unwrap();
        assert!(matches!(slot.take(), Err(Error::Gone { what: ObjectKind::ALLOCATOR })));
        assert!(block_of(functions, 64).is_null());
        drop(kept);
        assert!(slot.functions().is_none() && slot.with_allocator(|_| ()).is_none());
        let gone = slot.put(PoolAllocator::new(current, 4096).unwrap()).unwrap_err();
        assert!(matches!(gone.error, Error::Gone { .. }), "{gone}");
        gone.value.release(current).unwrap();
    });
    alone.assert_nothing_lives();
}

/// Panics in a call.
struct Panics;

impl Watch for Panics {
    fn allocates(&self) {
        panic!("in the allocator");
    }
}

#[proves(CB_09, MEM_11)]
#[test]
fn a_panic_does_not_leave_the_functions_and_memory_of_another_context_is_refused() {
    let alone = alone();
    with_device(acl(), |device, thread| {
        let (slot, kept) = AllocatorSlot::<Watched<Panics>>::new();
        let first = device.with_current(thread, |current| {
            slot.put(Watched::new(current, 4096, Panics)).map_err(Error::from).unwrap();
            assert!(block_of(slot.functions().unwrap(), 64).is_null() && slot.misbehaved());
            slot.take().unwrap()
        });
        let first = first.unwrap();
        device
            .with_current(thread, |current| {
                let refused = AllocatorSlot::check_serves(current, &first).unwrap_err();
                assert!(matches!(refused, Error::AllocatorOfOtherContext { .. }), "{refused}");
            })
            .unwrap();
        drop(kept);
    });
    alone.assert_nothing_lives();
}

/// Says when it is dropped, and panics.
struct Told(Arc<AtomicBool>);

impl Drop for Told {
    fn drop(&mut self) {
        assert_lives!(streams, 0, "the context's objects have gone");
        self.0.store(true, SeqCst);
        panic!("in the drop");
    }
}

/// Ends, and reports what went wrong on the way.
struct Reports {
    dropped: Arc<AtomicBool>,
    last: Mutex<Option<Refused>>,
}

// SAFETY: it stands for nothing in the library.
unsafe impl Attach for Reports {
    const NAME: &'static str = "reporter";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Everything;

    fn take_down(&self, from: &EndingContext<'_>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        from.check_calls_allowed()?;
        from.also_failed(Error::from(Refused("first")));
        from.drop_later(Told(Arc::clone(&self.dropped)));
        self.last.lock().unwrap().take().map_or(Ok(()), |last| Err(Error::from(last).into()))
    }
}

impl Reports {
    fn new(dropped: &Arc<AtomicBool>, last: Option<Refused>) -> Self {
        Self { dropped: Arc::clone(dropped), last: Mutex::new(last) }
    }
}

#[proves(DEV_10, ERR_01)]
#[test]
fn an_object_that_ended_with_errors_has_ended_and_values_of_the_program_are_dropped_last() {
    let (alone, dropped) = (alone(), Arc::new(AtomicBool::new(false)));
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let ran = catch_unwind(AssertUnwindSafe(|| {
        device.with_current(&mut thread, |current| {
            mem::forget(current.attach(Reports::new(&dropped, None), ()).map_err(Error::from).unwrap());
            mem::forget(current.stream().unwrap());
        })
    }));
    assert_eq!(ran.unwrap_err().downcast_ref(), Some(&"in the drop"));
    assert!(dropped.load(SeqCst));
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// Ends, and says that something failed on the way; or does not end.
struct Quiet(Mutex<Option<Refused>>);

// SAFETY: it stands for nothing in the library.
unsafe impl Attach for Quiet {
    const NAME: &'static str = "quiet one";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Everything;

    fn take_down(&self, from: &EndingContext<'_>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        from.also_failed(Error::from(Refused("first")));
        self.0.lock().unwrap().take().map_or(Ok(()), |last| Err(Error::from(last).into()))
    }
}

#[proves(DEV_10, ERR_01)]
#[test]
fn each_error_of_an_object_is_told_with_its_rules_and_one_that_refuses_ends_the_next_time() {
    let alone = alone();
    let said = |errors: &[Error]| {
        let word = |error: &Error| (error.extension().map(|Refused(word)| *word), error.rules());
        errors.iter().map(word).collect::<Vec<_>>()
    };
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let scope = device.with_current(&mut thread, |current| {
        let ended = current.attach(Quiet(Mutex::default()), ()).map_err(Error::from).unwrap();
        ended.take_down(current).map_err(Error::from).unwrap();
        assert_eq!(
            said(&current.collect()),
            [(Some("first"), &[GE_10][..])],
            "it has ended, and the next collection says"
        );
        mem::forget(current.attach(Quiet(Mutex::new(Some(Refused("last")))), ()).map_err(Error::from).unwrap());
    });
    let Err(ScopeError::Teardown { errors, .. }) = scope else { panic!("it refused to end") };
    assert_eq!(said(&errors), [(Some("first"), &[GE_10][..]), (Some("last"), &[GE_10][..])]);
    assert_eq!(errors[1].to_string(), "could not take down the quiet one: refused: last [GE-10]");
    let again = device.reset(&mut thread).unwrap_err();
    again.value.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

static USER: LibraryUser =
    LibraryUser { why: "the collectives are still initialised: close them first", rules: &[GE_10] };

#[proves(INIT_02)]
#[test]
fn the_library_is_not_finalised_under_another_one_that_holds_it() {
    let alone = alone();
    let acl = acl();
    let held = [(); 2].map(|()| acl.hold(&USER).unwrap());
    let mut refused = acl.close().unwrap_err();
    for one in held {
        assert!(matches!(refused.error, Error::LibraryInUse { user } if *user == USER), "{refused}");
        assert_eq!(refused.to_string(), "the collectives are still initialised: close them first [GE-10]");
        assert!(refused.value.device_count().is_ok(), "the library goes on");
        refused = refused.value.close().unwrap_err();
        // On another thread, and without the `Acl`.
        std::thread::spawn(move || drop(one)).join().unwrap();
    }
    refused.value.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(ALLOC_18, CB_01)]
#[test]
fn a_callback_is_told_that_no_function_may_be_called() {
    let alone = alone();
    inside(|current| {
        let (stream, library) = (current.stream().unwrap(), current.library());
        assert!(library.check_call("count", "counterAdd", Ok(0)).is_ok());
        let answered = library.check_call("count", "counterAdd", Ok(507_899)).unwrap_err();
        assert!(answered.to_string().starts_with("could not count: counterAdd answered 507899"), "{answered}");
        assert!(current.check_calls_allowed().is_ok() && library.check_calls_allowed().is_ok());
        let asked = stream.launch_host_fn(current, move || library.check_calls_allowed().unwrap_err()).unwrap();
        let refused = asked.wait(current).unwrap().into_result().unwrap();
        assert!(matches!(refused, Error::InsideCallback), "{refused}");
        let (slot, kept) = AllocatorSlot::<Empty>::new();
        slot.put(Empty(())).map_err(Error::from).unwrap();
        drop(kept);
    });
    alone.assert_nothing_lives();
}
