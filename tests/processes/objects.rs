//! Objects of the parent in a forked child: arenas, bound models, operators, actors; and what a library of the child's own does
//! beside that of the parent.

use super::common::{acl, alone, digits_in_batches_of, library_at, shared_simulator};
use super::{catch_unwind, ending_of, is_forked};
use ascendcl::library::LogLevel;
use ascendcl::memory::bytes_in_arena;
use ascendcl::model::ModelSource;
use ascendcl::operator::relu;
use ascendcl::raw::LastUse;
use ascendcl::runtime::{Actor, CloseError};
use ascendcl::stream::AllocatorGroup;
use ascendcl::{Error, Library, Runtime, Thread, allocator::PoolAllocator};
use ascendcl_macros::proves;
use ascendcl_sim::control;
use std::io::Write;
use std::panic::AssertUnwindSafe;

ascendcl::names!(Server);

#[proves(THREAD_05, MEM_02)]
#[test]
fn an_arena_of_the_parent_is_not_used_again_in_a_forked_child() {
    let alone = alone();
    super::in_context(|context, thread| {
        let entered = context.enter(thread, |current| {
            let mut arena = current.device_arena(bytes_in_arena::<u8>(64)).unwrap();
            assert_eq!(in_child!(is_forked(arena.reset(current))), "refused");
            arena.reset(current).unwrap();
        });
        entered.unwrap();
    });
    alone.assert_nothing_lives();
}

/// A model without a free size needs no call of the library for its shapes.
#[proves(THREAD_05, MODEL_20)]
#[test]
fn a_bound_model_and_an_operator_of_the_parent_do_nothing_in_a_forked_child() {
    let alone = alone();
    super::in_context(|context, thread| {
        let entered = context.enter(thread, |current| {
            let image = digits_in_batches_of(1);
            let model = || current.load(ModelSource::memory(&image).into()).unwrap();
            let (other, mut bound) = (model(), model().bind(current, &[&[1, 64]], &[&[1, 10]]).unwrap());
            bound.write(current, 0, &[0.5_f32; 64]).unwrap();
            let stream = current.stream().unwrap().without_allocator();
            let x = || current.upload_tensor(&[2], &[1.0_f32; 2]).unwrap();
            let (operator, unbound) = (relu(current, x()).unwrap(), x());
            let input = current.device_buffer::<f32>(64).unwrap().zero(current).unwrap();
            let ends = [
                in_child!(is_forked(bound.reshape(current, &[&[1, 64]]))),
                in_child!(is_forked(bound.exchange_input(current, 0, input))),
                in_child!(is_forked(bound.run(current))),
                in_child!(is_forked(stream.run_bound(current, &mut bound))),
                in_child!(is_forked(stream.execute(current, bound))),
                in_child!(is_forked(bound.into_model(current))),
                in_child!(is_forked(other.bind(current, &[&[1, 64]], &[&[1, 10]]))),
                in_child!(is_forked(stream.launch(current, operator))),
                in_child!(is_forked(operator.into_tensors(current))),
                in_child!(is_forked(relu(current, unbound))),
            ];
            assert_eq!(ends, ["refused"; 10]);
            bound.run(current).unwrap();
        });
        entered.unwrap();
    });
    alone.assert_nothing_lives();
}

/// None of these has to ask the library: another handle has the memory, no work has used the object, and the pool is empty.
#[proves(THREAD_05, MEM_02, ALLOC_11)]
#[test]
fn kept_memory_an_unused_object_and_an_empty_pool_of_the_parent_are_refused_in_a_forked_child() {
    let alone = alone();
    super::in_context(|context, thread| {
        let entered = context.enter(thread, |current| {
            let kept = current.upload(&[1_u8; 64]).unwrap().keep();
            let (other, unused) = (kept.clone(), LastUse::never(current));
            let pool = PoolAllocator::new(current, 1 << 16).unwrap();
            let mut group = AllocatorGroup::new(current, pool).unwrap();
            let idle = group.idle();
            idle.trim(current).unwrap();
            let ends = [
                in_child!(is_forked(kept.into_buffer::<u8, _>(current))),
                in_child!(!unused.is_over(current)),
                in_child!(is_forked(idle.trim(current))),
            ];
            assert_eq!(ends, ["refused"; 3]);
            assert!(unused.is_over(current));
            drop(other);
            assert_eq!(kept.into_buffer::<u8, _>(current).unwrap().len(), 64);
            assert_eq!(idle.trim(current).unwrap(), 0);
            group.into_allocator().unwrap().release(current).unwrap();
        });
        entered.unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(THREAD_05)]
#[test]
fn an_actor_of_the_parent_is_not_waited_for_in_a_forked_child() {
    let alone = alone();
    let actor = Actor::<Server, _>::open(Library::Simulator, |_| Ok(())).unwrap();
    assert_eq!(in_child!(matches!(actor.close(), Err(CloseError::Refused(Error::Forked { .. })))), "refused");
    actor.close().unwrap();
    alone.assert_nothing_lives();
}

/// The thread is in no context of the parent's library when it forks.
#[proves(THREAD_05, STREAM_09)]
#[test]
fn a_library_of_a_forked_child_is_used_by_a_thread_that_has_used_that_of_the_parent() {
    let (alone, library) = (alone(), shared_simulator());
    let (acl, mut thread) = (acl(), Thread::new().unwrap());
    let device = acl.device(&mut thread, 0).unwrap();
    let works = || {
        let runtime = Runtime::<Server>::open(library_at(library.clone())).unwrap();
        let used = |current: &mut ascendcl::Current<Server>| {
            let stream = current.stream().unwrap();
            let kept = current.stream().unwrap().keep();
            stream.with_raw(current, |_| ()).is_ok() && kept.with_raw(|_| ()).is_ok()
        };
        let used = runtime.with(used).unwrap();
        runtime.close().is_ok() && used
    };
    drop(thread);
    assert_eq!(in_child!(works()), "refused", "what is expected");
    device.reset(&mut Thread::new().unwrap()).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// Neither the log nor the text of the last failure is asked of the library, nor which context is current.
#[proves(THREAD_05, CTX_05)]
#[test]
fn a_forked_child_of_foreign_code_writes_no_log_and_looks_for_no_context() {
    let (alone, acl) = (alone(), acl());
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    control::fail(super::that_counts()).unwrap();
    let scope = device.with_current(&mut thread, |current| {
        let (loaded, before) = (acl.library(), control::calls());
        let ends = [
            in_child!(current.foreign(|| ()).refused.is_some_and(|error| matches!(error, Error::Forked { .. }))),
            in_child!(is_forked(loaded.check_call("ask", "aclrtGetDevice", 507_899))),
            in_child!(writeln!(loaded.app_log(LogLevel::Info), "a line").is_err()),
            in_child!({
                drop((current.foreign(|| ()), writeln!(loaded.app_log(LogLevel::Info), "a line")));
                control::calls() == before
            }),
        ];
        assert_eq!(ends, ["refused"; 4]);
    });
    scope.unwrap();
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}
