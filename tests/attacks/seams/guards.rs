//! Guards that are forgotten: turns, holds, kept and lent streams, proofs, slots, attached objects.

use super::*;
use ascendcl::allocator::PoolAllocator;
use ascendcl::raw::{Attach, EndingContext, EndsBefore, LibraryUser};
use ascendcl::stream::AllocatorGroup;
use ascendcl::{Acl, operator};
use ascendcl_macros::proves;
use ascendcl_sim::control;

static USER: LibraryUser = LibraryUser { why: "a test has it", rules: &[] };

#[proves(ALLOC_10, ALLOC_11)]
#[test]
fn a_forgotten_turn_shuts_its_group_and_the_context_ends_all_the_same() {
    let alone = alone();
    let runtime = open();
    let left = runtime
        .with(|current| {
            let pool = PoolAllocator::new(current, 64 << 10).unwrap();
            let group = AllocatorGroup::new(current, pool).unwrap();
            let one = group.attach(current, current.stream().unwrap()).unwrap();
            let two = group.attach(current, current.stream().unwrap()).unwrap();
            let turn = group.begin(&one).unwrap();
            let x = current.upload_tensor(&[2], &[-1.0_f32, 2.0]).unwrap();
            mem::forget(turn.launch(current, operator::relu(current, x).unwrap()).unwrap());
            mem::forget(turn);
            // The allocator of a member cannot be taken, nor trimmed: there is no group and no proof.
            let stream = two.detach(current).unwrap();
            stream.destroy(current).unwrap();
            collect(current);
            one
        })
        .unwrap();
    runtime.close().unwrap();
    drop(left);
    alone.assert_nothing_lives();
}

#[proves(ALLOC_11, ALLOC_14)]
#[test]
fn a_forgotten_proof_of_idleness_proves_nothing_about_later_work() {
    let alone = alone();
    let runtime = open();
    runtime
        .with(|current| {
            let pool = PoolAllocator::new(current, 64 << 10).unwrap();
            let mut own = current.stream().unwrap().register(current, pool).unwrap();
            mem::forget(own.idle(current).unwrap());
            let blocks = control::live().device_blocks;
            let x = current.upload_tensor(&[2], &[-1.0_f32, 2.0]).unwrap();
            let work = own.launch(current, operator::relu(current, x).unwrap()).unwrap();
            assert!(control::live().device_blocks >= blocks);
            own.idle(current).unwrap().trim(current).unwrap();
            drop(work.wait(current).unwrap());
        })
        .unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(STREAM_08, MEM_02)]
#[test]
fn forgotten_kept_and_lent_streams_and_memory_end_with_their_context() {
    let alone = alone();
    let runtime = open();
    let kept = runtime
        .with(|current| {
            let kept = current.stream().unwrap().keep();
            mem::forget(kept.lend(current).unwrap());
            let twice = (kept.lend(current).unwrap(), kept.lend(current).unwrap());
            let first = twice.0.set_bytes(current, current.device_buffer::<u8>(16).unwrap(), 1).unwrap();
            let second = twice.1.set_bytes(current, current.device_buffer::<u8>(16).unwrap(), 2).unwrap();
            let (first, second) = first.join(second).unwrap().wait(current).unwrap();
            assert_eq!((first.to_vec(current).unwrap()[0], second.to_vec(current).unwrap()[0]), (1, 2));
            mem::forget(first.keep());
            mem::forget(current.stream().unwrap().keep());
            collect(current);
            kept
        })
        .unwrap();
    // It is kept on another thread while the runtime closes, and names nothing afterwards.
    let told = std::thread::spawn(move || (kept.with_raw(|raw| raw.is_null()).is_ok(), kept));
    let (_, kept) = told.join().unwrap();
    runtime.close().unwrap();
    assert!(kept.with_raw(|_| ()).is_err(), "a destroyed stream has no handle");
    let next = open();
    next.with(|current| {
        is_of_another(kept.lend(current).map(drop));
        is_of_another(kept.into_stream(current).map(drop).map_err(|failed| failed.error));
    })
    .unwrap();
    next.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(INIT_02)]
#[test]
fn holds_that_are_dropped_elsewhere_and_twice_over_let_the_library_go_once() {
    let alone = alone();
    let acl = Acl::init(library()).unwrap();
    let (one, two) = (acl.hold(&USER).unwrap(), acl.hold(&USER).unwrap());
    let runtime = open();
    std::thread::spawn(move || drop(one)).join().unwrap();
    let failed = acl.close().unwrap_err();
    assert!(matches!(failed.error, Error::LibraryInUse { .. }));
    // Another initialisation of the same library is not held by it.
    runtime.close().unwrap();
    drop(two);
    failed.value.close().unwrap();
    alone.assert_nothing_lives();
}

struct Object;

// SAFETY: it stands for nothing.
unsafe impl Attach for Object {
    const NAME: &'static str = "object";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Memory;

    fn take_down(&self, from: &EndingContext<'_>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        // Code of the program, in the middle of the end: nothing of the crate can be entered, closed or swept here.
        assert!(Runtime::<Worker>::open(library()).is_err());
        assert!(!runtime::sweep(None).is_empty());
        assert!(!from.library().missing_functions().contains(&"aclrtMalloc"));
        Ok(())
    }
}

#[proves(DEV_10)]
#[test]
fn an_object_whose_end_tries_to_enter_close_and_sweep_ends_in_its_turn() {
    let alone = alone();
    let runtime = open();
    let attached = runtime
        .with(|current| {
            let memory = current.upload(&[1_u8; 8]).unwrap();
            mem::forget(current.attach(Object, ()).unwrap());
            drop(current.attach(Object, vec![current.stream().unwrap(), current.stream().unwrap()]).unwrap());
            collect(current);
            current.attach(Object, memory).unwrap()
        })
        .unwrap();
    runtime.close().unwrap();
    assert_eq!(attached.uses().len(), 8);
    let next = open();
    next.with(|current| {
        is_of_another(attached.get(current).map(drop));
        is_of_another(attached.take_down(current).map(drop).map_err(|failed| failed.error));
    })
    .unwrap();
    next.close().unwrap();
    alone.assert_nothing_lives();
}
