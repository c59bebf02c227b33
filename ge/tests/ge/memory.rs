//! Memory of the caller for a graph's constants and feature maps.

use crate::support::{bytes, digits, images, two_digits, watched, world};
use ascendcl::stream::Undecided;
use ascendcl::{Brand, Current, Error, Stream};
use ascendcl_ge::{EngineError, kinds::GRAPH};
use ascendcl_macros::proves;
use ascendcl_sim::{Plan, control};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

/// A stream that waits until something is sent.
fn held_up<C: Brand>(current: &Current<C>) -> (Stream<C, Undecided>, Sender<()>) {
    let (go, waits) = channel::<()>();
    let stream = current.stream().unwrap();
    drop(stream.launch_host_fn(current, move || waits.recv_timeout(Duration::from_secs(20)).is_ok()).unwrap());
    (stream, go)
}

#[track_caller]
fn engine_error(error: &Error) -> &EngineError {
    error.extension().unwrap_or_else(|| panic!("{error}"))
}

#[test]
#[proves(GE_23)]
fn memory_that_is_too_short_is_refused_before_the_engine_is_asked() {
    let world = world();
    world.session(|session, current| {
        let graph = two_digits(session, current).compile(session, current).unwrap();
        let needs = graph.summary(session, current).unwrap();
        let short = (bytes(current, needs.constants), bytes(current, needs.features - 1));
        let refused = graph.set_memory(session, current, short.0, short.1).unwrap_err();
        let expected = format!(
            "the feature memory of the graph needs {} bytes, but {} were given [GE-23]",
            needs.features,
            needs.features - 1
        );
        assert_eq!(refused.to_string(), expected);
        let (graph, memory) = refused.value;
        let (constants, short) = memory.unwrap();
        short.free(current).unwrap();
        let _left = graph.set_memory(session, current, constants, bytes(current, needs.features)).unwrap();
    });
    assert_eq!(world.calls().iter().filter(|call| *call == "SetGraphConstMemoryBase").count(), 1);
}

#[test]
#[proves(GE_23)]
fn a_graph_of_free_shapes_takes_no_memory_of_the_callers() {
    let world = world();
    world.session(|session, current| {
        let graph = digits(session, current).compile(session, current).unwrap();
        assert!(!graph.summary(session, current).unwrap().is_static);
        let refused = graph.set_memory(session, current, bytes(current, 64), bytes(current, 64)).unwrap_err();
        assert!(matches!(engine_error(&refused.error), EngineError::NotStatic), "{refused}");
        assert!(refused.value.1.is_some());
    });
}

#[test]
#[proves(GE_22)]
fn a_graph_with_memory_of_its_own_has_no_allocator_to_be_ignored() {
    let world = world();
    world.session(|session, current| {
        let (allocator, seen) = watched(current);
        let graph = two_digits(session, current).compile(session, current).unwrap();
        let graph = graph.register(session, current, current.stream().unwrap(), allocator).unwrap();
        // To set memory, the registration has to end first: no allocator is left that would be ineffective.
        let (graph, stream, _allocator) = graph.unregister(session, current).unwrap();
        let needs = graph.summary(session, current).unwrap();
        let (constants, features) = (bytes(current, needs.constants), bytes(current, needs.features));
        let graph = graph.set_memory(session, current, constants, features).unwrap();
        let graph = graph.load_on(session, current, stream).unwrap();
        let done = graph.execute(session, current, images(current, 2)).unwrap().wait(current).unwrap();
        assert_eq!(seen.out(), 0);
        drop(done);
    });
    assert_eq!(world.double.count("allocators"), 0);
}

#[test]
#[proves(GE_23)]
fn memory_that_was_set_stays_until_the_graph_is_removed() {
    let world = world();
    world.session(|session, current| {
        let graph = two_digits(session, current).compile(session, current).unwrap();
        let needs = graph.summary(session, current).unwrap();
        let before = control::live().device_blocks;
        let (constants, features) = (bytes(current, needs.constants), bytes(current, needs.features));
        let graph = graph.set_memory(session, current, constants, features).unwrap();
        assert_eq!(current.collect().len(), 0);
        assert_eq!(
            control::live().device_blocks,
            before + 2,
            "nobody has a handle, and the graph still has the memory"
        );
        graph.remove(session, current).unwrap();
        assert_eq!(current.collect().len(), 0);
        assert_eq!(control::live().device_blocks, 0);
    });
}

#[test]
#[proves(GE_23)]
fn memory_that_the_engine_may_have_taken_does_not_come_back_from_a_failure() {
    let world = world();
    world.session(|session, current| {
        let graph = two_digits(session, current).compile(session, current).unwrap();
        let needs = graph.summary(session, current).unwrap();
        let before = control::live().device_blocks;
        let (constants, features) = (bytes(current, needs.constants), bytes(current, needs.features));
        world.fails("UpdateGraphFeatureMemoryBase");
        let refused = graph.set_memory(session, current, constants, features).unwrap_err();
        assert!(matches!(engine_error(&refused.error), EngineError::Failed(_)), "{refused}");
        let (graph, memory) = refused.value;
        assert!(memory.is_none());
        assert_eq!((current.collect().len(), control::live().device_blocks), (0, before + 2));
        graph.remove(session, current).unwrap();
        assert_eq!((current.collect().len(), control::live().device_blocks), (0, 0));
    });
}

/// The engine has the memory for constants, or may have it.
#[test]
#[proves(GE_22, GE_23)]
fn a_graph_for_which_memory_was_set_halfway_gets_no_other_memory_and_no_allocator() {
    for fails in ["SetGraphConstMemoryBase", "UpdateGraphFeatureMemoryBase"] {
        let world = world();
        world.session(|session, current| {
            let graph = two_digits(session, current).compile(session, current).unwrap();
            let needs = graph.summary(session, current).unwrap();
            let memory = || [needs.constants, needs.features].map(|length| bytes(current, length));
            world.fails(fails);
            let [constants, features] = memory();
            let (graph, _) = graph.set_memory(session, current, constants, features).unwrap_err().value;
            let calls = world.calls();
            let [constants, features] = memory();
            let refused = graph.set_memory(session, current, constants, features).unwrap_err();
            assert!(matches!(engine_error(&refused.error), EngineError::MemoryInDoubt), "{refused}");
            let (graph, memory) = refused.value;
            assert!(memory.is_some(), "the engine has not taken it");
            let (allocator, seen) = watched(current);
            let refused = graph.register(session, current, current.stream().unwrap(), allocator).unwrap_err();
            assert!(matches!(engine_error(&refused.error), EngineError::MemoryInDoubt), "{refused}");
            let (graph, stream, allocator) = refused.value;
            let asked = |calls: &[String]| calls.iter().filter(|call| *call != "GetCompiledGraphSummary").count();
            assert_eq!(asked(&world.calls()), asked(&calls), "the engine is not asked");
            let graph = graph.load_on(session, current, stream).unwrap();
            let done = graph.execute(session, current, images(current, 2)).unwrap().wait(current).unwrap();
            done.outputs.release(session, current).unwrap();
            drop(done.graph.remove(session, current).unwrap());
            assert_eq!(seen.allocated.load(Ordering::SeqCst), 0);
            drop(allocator);
        });
    }
}

/// A set may be writing it on a stream that is held up.
#[test]
#[proves(GE_22, GE_23)]
fn memory_in_doubt_is_no_memory_of_a_graph() {
    let world = world();
    world.session(|session, current| {
        let graph = two_digits(session, current).compile(session, current).unwrap();
        let needs = graph.summary(session, current).unwrap();
        let (stream, go) = held_up(current);
        control::fail("aclrtMemsetAsync#1=after:507899, aclrtSynchronizeStreamWithTimeout=507046".parse().unwrap())
            .unwrap();
        let constants = stream.set_bytes(current, bytes(current, needs.constants), 2).unwrap_err().value;
        control::fail(Plan::new()).unwrap();
        let set = graph.set_memory(session, current, constants, bytes(current, needs.features));
        go.send(()).unwrap();
        stream.synchronize(current).unwrap();
        let refused = set.map(drop).unwrap_err();
        assert!(matches!(refused.error, Error::InDoubt { .. }), "{refused}");
        assert!(refused.value.1.is_some(), "the memory comes back");
    });
}

/// A load that failed halfway may have queued work that could not be waited for.
#[test]
#[proves(GE_16, GE_23)]
fn a_graph_that_a_failed_load_may_use_gets_no_memory() {
    let world = world();
    world.session(|session, current| {
        let graph = two_digits(session, current).compile(session, current).unwrap();
        let needs = graph.summary(session, current).unwrap();
        let (stream, go) = held_up(current);
        world.fails("LoadGraph");
        let (graph, stream) = graph.load_on(session, current, stream).unwrap_err().value;
        let [constants, features] = [needs.constants, needs.features].map(|length| bytes(current, length));
        let set = graph.set_memory(session, current, constants, features);
        let loaded = match set {
            Ok(_) => panic!("it is loaded with other memory, for all one knows"),
            Err(refused) => {
                assert!(matches!(refused.error, Error::StillRunning { what } if what == GRAPH), "{refused}");
                let (graph, memory) = refused.value;
                let refused = graph.load_on(session, current, current.stream().unwrap()).map(drop).unwrap_err();
                assert!(matches!(refused.error, Error::StillRunning { what } if what == GRAPH), "{refused}");
                (refused.value.0, memory.expect("the memory comes back"))
            }
        };
        go.send(()).unwrap();
        stream.synchronize(current).unwrap();
        let (graph, (constants, features)) = loaded;
        let graph = graph.set_memory(session, current, constants, features).unwrap();
        drop(graph.load_on(session, current, stream).unwrap().remove(session, current).unwrap());
    });
}

/// A stamp of two streams would await all streams of the context.
#[test]
#[proves(GE_20, MEM_02)]
fn memory_of_two_executions_that_were_waited_for_is_free_while_another_stream_works() {
    let world = world();
    world.session(|session, current| {
        let mut inputs = images(current, 2);
        for _ in 0..2 {
            let graph = two_digits(session, current).compile(session, current).unwrap();
            let graph = graph.load_on(session, current, current.stream().unwrap()).unwrap();
            let done = graph.execute(session, current, inputs).unwrap().wait(current).unwrap();
            done.outputs.release(session, current).unwrap();
            drop(done.graph.remove(session, current).unwrap());
            inputs = done.inputs;
        }
        let (busy, go) = held_up(current);
        let freed = inputs.free(current);
        go.send(()).unwrap();
        busy.synchronize(current).unwrap();
        freed.unwrap();
    });
}
