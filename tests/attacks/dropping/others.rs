//! What actors and allocators have.

use super::super::in_context;
use super::*;
use ascendcl::DeviceAllocator;
use ascendcl::RuleId;
use ascendcl::context::ContextId;
use ascendcl::error::{Extension, ExtensionError};
use ascendcl::memory::DeviceAddress;
use ascendcl::raw::AllocatorSlot;
use ascendcl::runtime::Actor;
use std::sync::mpsc::Sender;

/// Tells that the last value of a thread is dropped.
struct Tells(Sender<()>);

impl Drop for Tells {
    fn drop(&mut self) {
        self.0.send(()).unwrap();
    }
}

thread_local!(static LAST: std::cell::RefCell<Option<Tells>> = const { std::cell::RefCell::new(None) });

#[proves(DEV_10)]
#[test]
fn an_actor_that_was_dropped_ends_without_the_process_although_its_values_panic() {
    let alone = alone();
    for refuses in [0, 1] {
        let (told, ended) = channel();
        let open = Actor::<Worker, _>::open(library(), move |current| {
            LAST.set(Some(Tells(told)));
            if refuses > 0 {
                leave_refusing(current, refuses);
            }
            Ok(AlwaysPanics)
        });
        drop(open.unwrap());
        ended.recv_timeout(LONG).unwrap();
    }
    // The standard library drops what a thread returned after the thread's own values.
    std::thread::sleep(Duration::from_millis(200));
    forgotten(runtime::sweep(None));
    alone.assert_nothing_lives();
}

#[test]
fn an_actor_that_is_closed_tells_the_panic_of_its_state_and_closes_its_runtime() {
    let alone = alone();
    let actor = Actor::<Worker, _>::open(library(), |_| Ok(Says("the state's"))).unwrap();
    let message = panic_of(|| actor.close().unwrap());
    assert_eq!(message, "the state's");
    alone.assert_nothing_lives();
}

/// Hands out blocks that panic when they are dropped, and panics when it is asked where they are.
struct HasBadBlocks;

// SAFETY: it hands out no memory.
unsafe impl DeviceAllocator for HasBadBlocks {
    type Block = AlwaysPanics;

    fn allocate(&self, _: usize) -> Option<AlwaysPanics> {
        Some(AlwaysPanics)
    }

    fn address(&self, _: &AlwaysPanics) -> DeviceAddress {
        panic!("where");
    }

    fn free(&self, block: AlwaysPanics) {
        mem::forget(block);
    }

    fn serves(&self, _: ContextId) -> bool {
        true
    }
}

#[proves(CB_09)]
#[test]
fn a_block_of_an_allocator_is_dropped_beside_its_panic() {
    let (slot, kept) = AllocatorSlot::<HasBadBlocks>::new();
    slot.put(HasBadBlocks).map_err(Error::from).unwrap();
    let functions = slot.functions().unwrap();
    // SAFETY: `kept` keeps the slot.
    let block = unsafe { (functions.allocate)(functions.object, 64) };
    assert!(block.is_null() && slot.misbehaved());
    drop(kept);
}

#[proves(ALLOC_11)]
#[test]
fn allocators_that_were_left_behind_panic_one_by_one() {
    let alone = alone();
    in_context(|context, thread| {
        let group = context.enter(thread, |current| {
            let group = ascendcl::stream::AllocatorGroup::new(current, Empty(Says("the group's"))).unwrap();
            let member = group.attach(current, current.stream().unwrap()).unwrap();
            drop(group);
            let message = panic_of(|| drop(member.detach(current)));
            assert_eq!(message, "the group's");
            collect(current);
        });
        group.unwrap();
    });
    alone.assert_nothing_lives();
}

impl<D: FnMut() + Send + Sync + 'static> ExtensionError for Reason<D> {
    fn rules(&self) -> &'static [RuleId] {
        &[]
    }
}

#[proves(DEV_10, INIT_03)]
#[test]
fn a_runtime_whose_contents_could_not_be_made_is_closed_although_its_error_panics() {
    let alone = alone();
    let message = panic_of(|| {
        let opened = Runtime::<Worker>::open_with(library(), |current| {
            leave_allocator(current, "the allocator's");
            Err::<(), Error>(Extension::of(Reason(panics_always)).into())
        });
        mem::forget(opened);
    });
    assert_eq!(message, "the allocator's");
    // A panic of what is made leaves the runtime to the next sweep.
    let panicked = || {
        let _ = Runtime::<Worker>::open_with(library(), |_| -> Result<(), Error> { panic_any("the program's") });
    };
    assert_eq!(panic_of(panicked), "the program's");
    assert_eq!(forgotten(runtime::sweep(None)), 0);
    alone.assert_nothing_lives();
}
