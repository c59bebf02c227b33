//! Failing calls of the engine: the error names the call and the reason, and the object is unchanged.

use crate::common;
use crate::support::{bytes, images, loaded_with, two_digits, watched, world};
use ascendcl::{Error, ScopeError, Thread, allocator::PoolAllocator};
use ascendcl_ge::kinds::GRAPH;
use ascendcl_ge::{Engine, EngineError, FailedCall, GraphSource, Options};
use ascendcl_ge_double::Upset;
use ascendcl_macros::proves;
use ascendcl_sim::{Plan, control};

#[track_caller]
fn failed(error: &Error) -> &FailedCall {
    match error.extension() {
        Some(EngineError::Failed(call)) => call,
        _ => panic!("{error}"),
    }
}

#[test]
#[proves(GE_08)]
fn a_registration_that_fails_says_so_and_gives_everything_back() {
    let world = world();
    world.session(|session, current| {
        let (allocator, seen) = watched(current);
        let graph = two_digits(session, current).compile(session, current).unwrap();
        world.fails("RegisterExternalAllocator");
        let refused = graph.register(session, current, current.stream().unwrap(), allocator).unwrap_err();
        let said = "could not register an allocator: RegisterExternalAllocator answered 0xFFFFFFFF (failed); the engine \
                    says: the double was told to fail in RegisterExternalAllocator";
        assert_eq!(refused.to_string(), said);
        let (graph, stream, allocator) = refused.value;
        assert!(seen.dropped.lock().unwrap().is_empty());
        let _left = graph.register(session, current, stream, allocator).unwrap().load(session, current).unwrap();
        assert_eq!(seen.out(), 2);
    });
}

#[test]
fn each_transition_that_fails_can_be_tried_again() {
    let world = world();
    world.session(|session, current| {
        world.fails("AddGraph");
        let model = common::digits_in_batches_of(2);
        let refused = session.add(current, GraphSource::onnx(&model), &Options::new()).unwrap_err();
        assert_eq!(failed(&refused).call, "AddGraph");
        let graph = two_digits(session, current);

        world.fails("CompileGraph");
        let refused = graph.compile(session, current).unwrap_err();
        assert_eq!(failed(&refused.error).call, "CompileGraph");
        let graph = refused.value.compile(session, current).unwrap();

        world.fails("GetCompiledGraphSummary");
        let refused = graph.summary(session, current).unwrap_err();
        assert_eq!(failed(&refused).text.as_deref(), Some("the graph has no summary: it is not compiled"));

        let pool = PoolAllocator::new(current, 1 << 20).unwrap();
        let graph = graph.register(session, current, current.stream().unwrap(), pool).unwrap();
        world.fails("UnregisterExternalAllocator");
        let refused = graph.unregister(session, current).unwrap_err();
        assert_eq!(failed(&refused.error).call, "UnregisterExternalAllocator");
        world.fails("RegisterExternalAllocator");
        let other = PoolAllocator::new(current, 1 << 20).unwrap();
        let refused = refused.value.replace(session, current, other).unwrap_err();
        assert_eq!(failed(&refused.error).call, "RegisterExternalAllocator");
        let (graph, other) = refused.value;
        let (graph, _pool) = graph.replace(session, current, other).unwrap();

        world.fails("LoadGraph");
        let refused = graph.load(session, current).unwrap_err();
        assert_eq!(failed(&refused.error).call, "LoadGraph");
        let graph = refused.value.load(session, current).unwrap();

        world.fails("ExecuteGraphWithStreamAsync");
        let refused = graph.execute(session, current, images(current, 2)).unwrap_err();
        assert_eq!(failed(&refused.error).call, "ExecuteGraphWithStreamAsync");
        let (graph, inputs) = refused.value;
        let done = graph.execute(session, current, inputs).unwrap().wait(current).unwrap();
        done.outputs.release(session, current).unwrap();

        world.fails("RemoveGraph");
        let refused = done.graph.remove(session, current).unwrap_err();
        assert_eq!(failed(&refused.error).call, "RemoveGraph");
        world.fails("UnregisterExternalAllocator");
        let refused = refused.value.remove(session, current).unwrap_err();
        assert_eq!(failed(&refused.error).call, "UnregisterExternalAllocator");
        let (_stream, pool) = refused.value.remove(session, current).unwrap();
        assert_eq!(pool.statistics().blocks_in_use, 0);
    });
    let removed = world.calls().iter().filter(|call| *call == "RemoveGraph").count();
    assert_eq!(removed, 2, "one that failed, and one that did not");
}

#[test]
fn a_graph_that_the_engine_has_removed_is_not_executed() {
    let world = world();
    world.session(|session, current| {
        let (allocator, _seen) = watched(current);
        let graph = loaded_with(session, current, allocator);
        world.fails("UnregisterExternalAllocator");
        let graph = graph.remove(session, current).unwrap_err().value;
        let refused = graph.execute(session, current, images(current, 2)).unwrap_err();
        assert!(matches!(refused.error, Error::Gone { what } if what == GRAPH), "{refused}");
    });
}

#[test]
fn no_exception_crosses() {
    let world = world();
    world.session(|session, current| {
        world.double.upset("CompileGraph", Upset::ThrowException);
        let refused = two_digits(session, current).compile(session, current).unwrap_err();
        assert!(failed(&refused.error).status.is_exception());
        assert_eq!(failed(&refused.error).text.as_deref(), Some("the double was told to throw in CompileGraph"));
        world.double.upset("CompileGraph", Upset::ThrowNumber);
        let refused = refused.value.compile(session, current).unwrap_err();
        assert_eq!(failed(&refused.error).text.as_deref(), Some("an exception that is not a std::exception"));
        let _left = refused.value.compile(session, current).unwrap();
    });
}

#[test]
fn a_source_that_is_none_is_an_error_that_names_the_step() {
    let world = world();
    world.session(|session, current| {
        let absent = session.add(current, GraphSource::onnx_file("/nowhere.onnx"), &Options::new()).unwrap_err();
        assert_eq!(failed(&absent).doing, "add a graph");
        let empty = session.add(current, GraphSource::onnx(&[]), &Options::new()).unwrap_err();
        assert_eq!(failed(&empty).doing, "add a graph");
        let none = session.add(current, GraphSource::onnx(b"no model"), &Options::new()).unwrap();
        let refused = none.compile(session, current).unwrap_err();
        assert!(refused.to_string().contains("aclmdlLoadFromMem answered"), "{refused}");
        let nul = session.add(current, GraphSource::onnx_file("a\0b"), &Options::new()).unwrap_err();
        assert!(matches!(nul, Error::NulInPath { .. }), "{nul}");
    });
}

#[test]
fn a_session_that_cannot_be_made_is_not_opened_and_leaves_nothing() {
    let world = world();
    world.fails("Session");
    let ended = world.session_with(&Options::new(), |_, _| ());
    let Err(ScopeError::NotOpened(error)) = ended else { panic!("{ended:?}") };
    assert_eq!(failed(&error).call, "Session");
    world.assert_nothing_lives();
}

#[test]
fn an_engine_that_fails_to_begin_or_to_end_can_be_tried_again() {
    let world = world();
    let acl = common::acl();
    world.fails("GEInitialize");
    let refused = Engine::init(&acl, &world.place(), &Options::new()).unwrap_err();
    assert_eq!(failed(&refused).call, "GEInitialize");
    let engine = Engine::init(&acl, &world.place(), &Options::new()).unwrap();
    world.fails("GEFinalize");
    let refused = engine.close().unwrap_err();
    assert_eq!(failed(&refused.error).call, "GEFinalize");
    refused.value.close().unwrap();
    acl.close().unwrap();
    world.assert_nothing_lives();
}

#[test]
#[proves(GE_09, GE_11)]
fn a_session_whose_engine_refuses_to_take_it_apart_is_destroyed_whole_and_says_so() {
    let world = world();
    world.with_engine(&world.place(), &Options::new(), |engine, device, thread| {
        let ended = engine.session(thread, device, &Options::new(), |session, current| {
            let (allocator, seen) = watched(current);
            let _graph = loaded_with(session, current, allocator);
            world.fails("RemoveGraph");
            seen
        });
        let Err(ScopeError::Teardown { errors, result: Some(seen) }) = ended else { panic!("{ended:?}") };
        assert_eq!(errors.iter().map(|error| failed(error).call).collect::<Vec<_>>(), ["RemoveGraph"]);
        assert_eq!(*seen.dropped.lock().unwrap(), [0]);
        assert_eq!((world.double.count("sessions"), world.double.count("allocators")), (0, 0));
    });
    world.assert_nothing_lives();
}

#[test]
#[proves(GE_20, GE_21)]
fn outputs_of_an_execution_that_failed_after_it_began_stay_until_it_was_waited_for() {
    let world = world();
    world.session(|session, current| {
        let (allocator, seen) = watched(current);
        let graph = loaded_with(session, current, allocator);
        let out = seen.out();
        world.double.hold(true);
        world.double.upset("ExecuteGraphWithStreamAsync", Upset::FailAfter);
        let refused = graph.execute(session, current, images(current, 2)).unwrap_err();
        assert_eq!(failed(&refused.error).call, "ExecuteGraphWithStreamAsync");
        drop(refused.value);
        assert_eq!(current.collect().len(), 0);
        let kept = seen.out();
        world.double.hold(false);
        assert_eq!(kept, out + 1, "the engine may be writing the output");
        assert_eq!(session.collect(current).len(), 0);
        assert_eq!((world.double.count("graphs"), seen.out()), (0, 0));
        assert_eq!(*seen.dropped.lock().unwrap(), [0]);
    });
}

#[test]
fn a_device_that_keeps_a_session_says_so() {
    let world = world();
    let acl = common::acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let engine = Engine::init(&acl, &world.place(), &Options::new()).unwrap();
    let ended = engine.session(&mut thread, &device, &Options::new(), |_, current| {
        let _stream = current.stream().unwrap();
        control::fail("aclrtSynchronizeStreamWithTimeout#1+=507899".parse().unwrap()).unwrap();
    });
    assert!(matches!(ended, Err(ScopeError::Teardown { .. })), "{ended:?}");
    let failed = device.reset(&mut thread).unwrap_err();
    let said = failed.error.to_string();
    assert!(said.contains("1 graph engine session(s), 1 stream(s)"), "{said}");
    control::fail(Plan::new()).unwrap();
    failed.value.reset(&mut thread).unwrap();
    engine.close().unwrap();
    acl.close().unwrap();
    world.assert_nothing_lives();
}

#[test]
#[proves(GE_25)]
fn a_stale_graph_is_not_loaded() {
    let world = world();
    world.session(|session, current| {
        let graph = two_digits(session, current).compile(session, current).unwrap();
        world.fails("IsGraphNeedRebuild");
        let refused = graph.load_on(session, current, current.stream().unwrap()).unwrap_err();
        assert!(refused.to_string().ends_with("[GE-25]"), "{refused}");
        let (graph, stream) = refused.value;
        graph.remove(session, current).unwrap();
        let graph = two_digits(session, current).compile(session, current).unwrap();
        let _left = graph.load_on(session, current, stream).unwrap();
    });
}

#[test]
#[proves(GE_19)]
fn an_input_that_is_left_out_is_refused() {
    let world = world();
    world.session(|session, current| {
        let graph = two_digits(session, current).compile(session, current).unwrap();
        let graph = graph.load_on(session, current, current.stream().unwrap()).unwrap();
        let refused = graph.execute(session, current, ascendcl::operator::Absent).unwrap_err();
        assert!(refused.to_string().ends_with("[GE-19]"), "{refused}");
        let (graph, _) = refused.value;
        // Too many inputs: the engine refuses them, and the graph stays usable.
        let both = (images(current, 2), images(current, 2));
        let refused = graph.execute(session, current, both).unwrap_err();
        assert_eq!(failed(&refused.error).call, "ExecuteGraphWithStreamAsync");
        drop(bytes(current, 1));
    });
}
