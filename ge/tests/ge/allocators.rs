//! The engine calls the caller's allocator.

use crate::common;
use crate::support::{digits, images, loaded_with, two_digits, watched, world};
use ascendcl::{Error, ScopeError, Thread, allocator::PoolAllocator};
use ascendcl_ge::{EngineError, Options};
use ascendcl_macros::proves;
use std::sync::atomic::Ordering::SeqCst;
use std::thread;

#[test]
#[proves(GE_01, GE_02, GE_06)]
fn loading_and_executing_ask_the_allocator_and_give_every_block_back() {
    let world = world();
    world.session(|session, current| {
        let (allocator, seen) = watched(current);
        let graph = two_digits(session, current).compile(session, current).unwrap();
        let graph = graph.register(session, current, current.stream().unwrap(), allocator).unwrap();
        assert_eq!(seen.out(), 0, "registering takes nothing");
        let graph = graph.load(session, current).unwrap();
        assert_eq!(seen.out(), 2, "constants, and memory to work in");

        let done = graph.execute(session, current, images(current, 2)).unwrap().wait(current).unwrap();
        assert_eq!((seen.allocated.load(SeqCst), seen.advised.load(SeqCst), seen.freed.load(SeqCst)), (4, 0, 1));
        done.outputs.release(session, current).unwrap();
        assert_eq!(seen.out(), 2);

        let done = done.graph.execute(session, current, done.inputs).unwrap().wait(current).unwrap();
        assert_eq!(seen.advised.load(SeqCst), 1, "the second time, the engine proposes an address");
        done.outputs.release(session, current).unwrap();
        let (_stream, allocator) = done.graph.remove(session, current).unwrap();
        assert_eq!(seen.out(), 0);
        assert!(seen.dropped.lock().unwrap().is_empty(), "the allocator came back");
        drop(allocator);
    });
}

#[test]
fn the_engine_may_call_the_allocator_on_a_thread_of_its_own() {
    let world = world();
    let options = Options::new().with("double.allocate_on_a_thread", "1");
    let threads = world.session_with(&options, |session, current| {
        let (allocator, seen) = watched(current);
        let graph = loaded_with(session, current, allocator);
        let done = graph.execute(session, current, images(current, 2)).unwrap().wait(current).unwrap();
        done.outputs.release(session, current).unwrap();
        let _left = done.graph.remove(session, current).unwrap();
        seen.threads.lock().unwrap().clone()
    });
    let threads = threads.unwrap();
    world.assert_nothing_lives();
    assert!(threads.iter().any(|id| *id != thread::current().id()), "{threads:?}");
    assert!(threads.contains(&thread::current().id()));
}

#[test]
#[proves(GE_21)]
fn a_block_that_the_engine_counts_twice_comes_back_when_both_have_let_go() {
    let world = world();
    let options = Options::new().with("double.share_outputs", "1");
    let left = world.session_with(&options, |session, current| {
        let (allocator, seen) = watched(current);
        let graph = loaded_with(session, current, allocator);
        let done = graph.execute(session, current, images(current, 2)).unwrap().wait(current).unwrap();
        let out = seen.out();
        done.outputs.release(session, current).unwrap();
        assert_eq!(seen.out(), out, "the engine still holds the output's block");
        let (_stream, _allocator) = done.graph.remove(session, current).unwrap();
        seen.out()
    });
    assert_eq!(left.unwrap(), 0);
    world.assert_nothing_lives();
}

#[test]
#[proves(GE_03, GE_09)]
fn the_last_registration_serves_and_the_replaced_allocator_comes_back_unused() {
    let world = world();
    world.session(|session, current| {
        let ((first, seen_first), (second, seen_second)) = (watched(current), watched(current));
        let graph = two_digits(session, current).compile(session, current).unwrap();
        let graph = graph.register(session, current, current.stream().unwrap(), first).unwrap();
        let (graph, first) = graph.replace(session, current, second).unwrap();
        assert_eq!(world.double.count("allocators"), 1);
        drop(first);
        let graph = graph.load(session, current).unwrap();
        let done = graph.execute(session, current, images(current, 2)).unwrap().wait(current).unwrap();
        assert_eq!((seen_first.allocated.load(SeqCst), seen_second.allocated.load(SeqCst)), (0, 4));
        drop(done);
    });
}

#[test]
#[proves(GE_09)]
fn an_allocator_that_is_unregistered_comes_back_with_its_stream_and_is_asked_no_more() {
    let world = world();
    world.session(|session, current| {
        let (allocator, seen) = watched(current);
        let graph = two_digits(session, current).compile(session, current).unwrap();
        let graph = graph.register(session, current, current.stream().unwrap(), allocator).unwrap();
        let (graph, stream, allocator) = graph.unregister(session, current).unwrap();
        assert_eq!(world.double.count("allocators"), 0);
        let graph = graph.load_on(session, current, stream).unwrap();
        let done = graph.execute(session, current, images(current, 2)).unwrap().wait(current).unwrap();
        assert_eq!(seen.allocated.load(SeqCst), 0);
        drop((done, allocator));
    });
}

#[test]
fn a_pool_without_room_fails_the_execution_which_comes_back_to_be_tried_with_more() {
    let world = world();
    world.session(|session, current| {
        let graph = digits(session, current).compile(session, current).unwrap();
        let pool = PoolAllocator::new(current, 1024).unwrap();
        let graph = graph.register(session, current, current.stream().unwrap(), pool).unwrap();
        let graph = graph.load(session, current).unwrap();
        let refused = graph.execute(session, current, images(current, 300)).unwrap_err();
        let Some(error) = refused.error.extension::<EngineError>() else { panic!("{}", refused.error) };
        assert!(matches!(error, EngineError::Failed(call) if call.call == "ExecuteGraphWithStreamAsync"), "{error}");
        let (mut graph, inputs) = refused.value;
        let missing = graph.with_allocator(|pool| pool.statistics().largest_refused).unwrap();
        assert!(missing >= 300 * 10 * 4);
        graph.idle(session, current).unwrap().grow(current, 2 * missing + 4096).unwrap();
        let done = graph.execute(session, current, inputs).unwrap().wait(current).unwrap();
        assert_eq!(done.outputs.shape(0).unwrap(), [300, 10]);
    });
}

#[test]
#[proves(GE_05)]
fn a_pool_gives_memory_to_the_system_when_its_graph_is_idle_and_not_what_is_out() {
    let world = world();
    world.session(|session, current| {
        let graph = digits(session, current).compile(session, current).unwrap();
        let pool = PoolAllocator::new(current, 1 << 16).unwrap();
        let graph = graph.register(session, current, current.stream().unwrap(), pool).unwrap();
        let graph = graph.load(session, current).unwrap();
        let done = graph.execute(session, current, images(current, 1)).unwrap().wait(current).unwrap();
        let mut graph = done.graph;
        assert_eq!(graph.idle(session, current).unwrap().trim(current).unwrap(), 0, "the outputs are in that piece");
        done.outputs.release(session, current).unwrap();
        assert_eq!(graph.idle(session, current).unwrap().trim(current).unwrap(), 1 << 16);
    });
}

#[test]
#[proves(GE_06)]
fn an_allocator_of_another_context_is_refused_and_comes_back_with_graph_and_stream() {
    let world = world();
    let acl = common::acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let pool = device.with_current(&mut thread, |current| PoolAllocator::new(current, 4096).unwrap()).unwrap();
    let engine = ascendcl_ge::Engine::init(&acl, &world.place(), &Options::new()).unwrap();
    let ended: Result<(), ScopeError<_>> = engine.session(&mut thread, &device, &Options::new(), |session, current| {
        let graph = two_digits(session, current).compile(session, current).unwrap();
        let refused = graph.register(session, current, current.stream().unwrap(), pool).unwrap_err();
        assert!(matches!(refused.error, Error::AllocatorOfOtherContext { .. }), "{}", refused.error);
        let (graph, stream, _pool) = refused.value;
        let own = PoolAllocator::new(current, 1 << 20).unwrap();
        let _left = graph.register(session, current, stream, own).unwrap().load(session, current).unwrap();
    });
    ended.unwrap();
    engine.close().unwrap();
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    world.assert_nothing_lives();
}

#[test]
#[proves(GE_21)]
fn what_is_released_while_the_allocator_is_looked_at_goes_back_to_it() {
    let world = world();
    world.session(|session, current| {
        let pool = PoolAllocator::new(current, 1 << 20).unwrap();
        let mut graph = loaded_with(session, current, pool);
        let done = graph.execute(session, current, images(current, 2)).unwrap().wait(current).unwrap();
        let (outputs, mut inputs) = (done.outputs, done.inputs);
        graph = done.graph;
        let out = graph.with_allocator(|pool| {
            let before = pool.statistics().blocks_in_use;
            outputs.release(session, current).unwrap();
            (before, pool.statistics().blocks_in_use)
        });
        assert_eq!(out, Some((3, 2)), "the output went back");
        assert!(!graph.allocator_misbehaved());
        let other = loaded_with(session, current, PoolAllocator::new(current, 1 << 20).unwrap());
        // Another graph runs, and is waited for, while the first one's allocator is looked at.
        let ran = graph.with_allocator(|_| other.execute(session, current, inputs).unwrap().wait(current).unwrap());
        let ran = ran.unwrap();
        inputs = ran.inputs;
        ran.outputs.release(session, current).unwrap();
        let idle = graph.idle(session, current).unwrap();
        idle.with_allocator(|_| current.synchronize().unwrap()).unwrap();
        drop((idle, inputs));
        for graph in [graph, ran.graph] {
            let (_stream, pool) = graph.remove(session, current).unwrap();
            assert_eq!(pool.statistics().blocks_in_use, 0);
        }
    });
}

#[test]
#[proves(GE_03, GE_09)]
fn an_allocator_whose_replacement_and_end_were_refused_in_turn_comes_back() {
    let world = world();
    world.session(|session, current| {
        let pool = || PoolAllocator::new(current, 1 << 20).unwrap();
        let graph = two_digits(session, current).compile(session, current).unwrap();
        let mut graph = graph.register(session, current, current.stream().unwrap(), pool()).unwrap();
        for _ in 0..2 {
            world.fails("RegisterExternalAllocator");
            let (back, other) = graph.replace(session, current, pool()).unwrap_err().value;
            other.release(current).unwrap();
            world.fails("UnregisterExternalAllocator");
            graph = back.unregister(session, current).unwrap_err().value;
            assert_eq!(graph.with_allocator(|pool| pool.statistics().chunks), Some(1), "it is there as before");
        }
        let (_graph, _stream, pool) = graph.unregister(session, current).unwrap();
        pool.release(current).unwrap();
    });
}
