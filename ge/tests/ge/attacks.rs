//! Attacks on sessions of the graph engine.

use crate::common;
use crate::null::books;
use crate::support::{images, loaded_with, two_digits, watched, world};
use ascendcl::{Error, ScopeError, Thread, allocator::PoolAllocator};
use ascendcl_ge::{Engine, EngineError, Options};
use ascendcl_macros::proves;
use ascendcl_sim::{Config, control};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::time::Duration;

#[test]
#[proves(GE_09, GE_21)]
fn an_allocator_is_not_given_back_while_outputs_in_its_memory_have_a_name() {
    let world = world();
    world.session(|session, current| {
        let (allocator, seen) = watched(current);
        let graph = loaded_with(session, current, allocator);
        let done = graph.execute(session, current, images(current, 2)).unwrap().wait(current).unwrap();
        let refused = done.graph.remove(session, current).unwrap_err();
        let Some(error) = refused.error.extension::<EngineError>() else { panic!("{}", refused.error) };
        assert!(matches!(error, EngineError::OutputsInUse { count: 1 }), "{error}");
        assert!(error.to_string().ends_with("[GE-21]"), "{error}");
        assert_eq!(done.outputs.to_vec::<f32>(current, 0).unwrap().len(), 20, "they are still there to be read");
        assert_eq!(seen.out(), 3);
        done.outputs.release(session, current).unwrap();
        let (_stream, allocator) = refused.value.remove(session, current).unwrap();
        assert_eq!(seen.out(), 0);
        drop(allocator);
        assert_eq!(*seen.dropped.lock().unwrap(), [0]);
    });
}

#[test]
#[proves(GE_03, GE_09)]
fn an_allocator_that_is_replaced_comes_back_when_its_stream_is_done() {
    let world = world();
    world.session(|session, current| {
        let (stream, pool) = (current.stream().unwrap(), PoolAllocator::new(current, 1 << 20).unwrap());
        let over = Arc::new(AtomicBool::new(false));
        let runs = Arc::clone(&over);
        let held = stream.launch_host_fn(current, move || {
            std::thread::sleep(Duration::from_millis(50));
            runs.store(true, SeqCst);
        });
        drop(held.unwrap());
        let graph = two_digits(session, current).compile(session, current).unwrap();
        let graph = graph.register(session, current, stream, pool).unwrap();
        let other = PoolAllocator::new(current, 1 << 20).unwrap();
        let (_graph, pool) = graph.replace(session, current, other).unwrap();
        assert!(over.load(SeqCst), "what is queued there may use its memory: a load that failed halfway, say");
        pool.release(current).unwrap();
    });
}

#[test]
#[proves(GE_20, MEM_02)]
fn inputs_of_an_execution_that_may_run_all_the_same_come_back_and_are_not_freed() {
    let world = world();
    world.session(|session, current| {
        let (stream, pool) = (current.stream().unwrap(), PoolAllocator::new(current, 1 << 20).unwrap());
        let (go, wait) = channel::<()>();
        drop(stream.launch_host_fn(current, move || wait.recv().is_ok()).unwrap());
        let graph = two_digits(session, current).compile(session, current).unwrap();
        let graph = graph.register(session, current, stream, pool).unwrap().load(session, current).unwrap();
        world.fails("ExecuteGraphWithStreamAsync");
        let (graph, inputs) = graph.execute(session, current, images(current, 2)).unwrap_err().value;
        let refused = inputs.into_buffer().free(current).unwrap_err();
        assert!(matches!(refused.error, Error::StillRunning { .. }), "{}", refused.error);
        assert!(matches!(refused.value.to_vec(current), Err(Error::InDoubt { .. })));
        go.send(()).unwrap();
        drop(graph.remove(session, current).unwrap());
        refused.value.free(current).unwrap();
    });
}

#[test]
#[proves(GE_18)]
fn a_device_of_another_library_is_refused_before_anything_is_called() {
    let world = world();
    let (books, acl) = (books(), common::acl());
    let (other, mut thread) = (books.acl(), Thread::new().unwrap());
    let device = other.device(&mut thread, 0).unwrap();
    let engine = Engine::init(&acl, &world.place(), &Options::new()).unwrap();
    let refused = engine.session(&mut thread, &device, &Options::new(), |_, _| ()).unwrap_err();
    let ScopeError::NotOpened(error) = refused else { panic!("{refused}") };
    assert!(matches!(error.extension(), Some(EngineError::OtherLibrary)), "{error}");
    engine.close().unwrap();
    device.reset(&mut thread).unwrap();
    other.close().unwrap();
    acl.close().unwrap();
    books.assert_closed();
    world.assert_nothing_lives();
}

#[test]
#[proves(GE_18, MODE_01)]
fn a_session_works_where_its_device_says_that_the_program_runs() {
    let world = world();
    control::configure(common::under_watch(Config::new().on_device(true))).unwrap();
    world.session(|_session, current| {
        let (stream, mut host) = (current.stream().unwrap(), current.host_buffer::<u8>(64).unwrap());
        assert_eq!(control::live().host_blocks, 0, "memory of the device");
        host.fill(3);
        let copy = stream.copy_to_device(current, host, current.device_buffer(64).unwrap()).unwrap();
        assert_eq!(copy.wait(current).unwrap().1.to_vec(current).unwrap(), [3; 64]);
    });
}

#[test]
#[proves(GE_09, GE_20, GE_21)]
fn a_session_that_ends_while_its_graph_executes_waits_and_the_allocator_goes_last() {
    let world = world();
    let seen = world.session(|session, current| {
        let (allocator, seen) = watched(current);
        let graph = loaded_with(session, current, allocator);
        drop(graph.execute(session, current, images(current, 2)).unwrap());
        seen
    });
    assert_eq!(*seen.dropped.lock().unwrap(), [0], "no block was out when the allocator went");
}

#[test]
#[proves(GE_11)]
fn a_panic_in_a_session_with_work_in_flight_takes_everything_down_and_goes_on() {
    let world = world();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let acl = common::acl();
        let mut thread = Thread::new().unwrap();
        let device = acl.device(&mut thread, 0).unwrap();
        let engine = Engine::init(&acl, &world.place(), &Options::new()).unwrap();
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let _ended: Result<(), _> = engine.session(&mut thread, &device, &Options::new(), |session, current| {
                let (allocator, _seen) = watched(current);
                let graph = loaded_with(session, current, allocator);
                let _running = graph.execute(session, current, images(current, 2)).unwrap();
                panic!("in the session");
            });
        }));
        engine.close().unwrap();
        device.reset(&mut thread).unwrap();
        acl.close().unwrap();
        panicked
    }));
    let payload = panicked.unwrap().unwrap_err();
    assert_eq!(payload.downcast_ref(), Some(&"in the session"));
    world.assert_nothing_lives();
}

#[test]
#[proves(GE_11, GE_20)]
fn what_cannot_be_waited_for_is_kept_and_neither_device_nor_engine_is_given_back_before() {
    let world = world();
    let acl = common::acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap().with_teardown_timeout(Duration::from_millis(200));
    let engine = Engine::init(&acl, &world.place(), &Options::new()).unwrap();
    let ended = engine.session(&mut thread, &device, &Options::new(), |session, current| {
        let (allocator, seen) = watched(current);
        let graph = loaded_with(session, current, allocator);
        world.double.hold(true);
        drop(graph.execute(session, current, images(current, 2)).unwrap());
        seen
    });
    let Err(ScopeError::Teardown { errors, result: Some(seen) }) = ended else { panic!("{ended:?}") };
    assert!(errors[0].code().is_some_and(|code| code.is_timeout()), "{errors:?}");
    assert_eq!((world.double.count("sessions"), world.double.count("graphs")), (1, 1));
    assert!(seen.out() > 0 && seen.dropped.lock().unwrap().is_empty());

    let refused = engine.close().unwrap_err();
    assert!(refused.error.to_string().ends_with("[GE-11]"), "{refused}");
    let poisoned = device.reset(&mut thread).unwrap_err();
    assert!(matches!(poisoned.error, Error::ObjectsLeft { .. }), "{poisoned}");

    world.double.hold(false);
    // A busy machine may need more than one time of patience.
    let tries =
        (0..50).try_fold(poisoned.value, |device, _| device.reset(&mut thread).map_or_else(|left| Ok(left.value), Err));
    assert!(matches!(tries, Err(())), "the device could not be given back");
    assert_eq!(*seen.dropped.lock().unwrap(), [0]);
    refused.value.close().unwrap();
    acl.close().unwrap();
    world.assert_nothing_lives();
}

#[test]
fn two_sessions_one_in_the_other_have_streams_and_graphs_of_their_own() {
    let world = world();
    world.with_engine(&world.place(), &Options::new(), |engine, device, thread| {
        let ended = engine.session(thread, device, &Options::new(), |session, current| {
            let graph = two_digits(session, current).compile(session, current).unwrap();
            let graph = graph.load_on(session, current, current.stream().unwrap()).unwrap();
            let inner = engine.session(current, device, &Options::new(), |session, current| {
                assert_eq!(world.double.count("sessions"), 2);
                let (allocator, _seen) = watched(current);
                let graph = loaded_with(session, current, allocator);
                graph.execute(session, current, images(current, 2)).unwrap().wait(current).unwrap().outputs.len()
            });
            assert_eq!(inner.unwrap(), 1);
            assert_eq!((world.double.count("sessions"), world.double.count("graphs")), (1, 1));
            let done = graph.execute(session, current, images(current, 2)).unwrap().wait(current).unwrap();
            done.outputs.to_vec::<f32>(current, 0).unwrap().len()
        });
        assert_eq!(ended.unwrap(), 20);
    });
    world.assert_nothing_lives();
}

#[test]
fn an_allocator_that_panics_counts_as_one_without_memory_and_the_panic_does_not_leave_it() {
    let world = world();
    world.session(|session, current| {
        let (allocator, seen) = watched(current);
        let graph = loaded_with(session, current, allocator);
        assert!(!graph.allocator_misbehaved());
        seen.panics_at.store(1, SeqCst);
        let refused = graph.execute(session, current, images(current, 2)).unwrap_err();
        assert!(refused.error.to_string().contains("no memory"), "{refused}");
        let (graph, inputs) = refused.value;
        assert!(graph.allocator_misbehaved());
        let done = graph.execute(session, current, inputs).unwrap().wait(current).unwrap();
        assert_eq!(done.outputs.to_vec::<f32>(current, 0).unwrap().len(), 20);
    });
}

#[test]
fn an_allocator_that_panics_while_it_takes_a_block_back_loses_the_block_and_nothing_else() {
    let world = world();
    let seen = world.session(|session, current| {
        let (allocator, seen) = watched(current);
        let graph = loaded_with(session, current, allocator);
        let done = graph.execute(session, current, images(current, 2)).unwrap().wait(current).unwrap();
        seen.panics_at.store(1, SeqCst);
        done.outputs.release(session, current).unwrap();
        assert!(done.graph.allocator_misbehaved());
        assert_eq!(seen.out(), 3);
        let _left = done.graph.remove(session, current).unwrap();
        seen
    });
    assert_eq!(*seen.dropped.lock().unwrap(), [1]);
}

/// On another device the engine would use streams and memory of a context that is not current.
#[test]
#[proves(GE_18)]
fn a_session_is_on_the_device_of_its_context_whatever_its_options_say() {
    let world = world();
    let options = Options::new().with("ge.session_device_id", "1");
    world.session_with(&options, |_, _| ()).unwrap();
    assert!(world.double.log().contains(&"Session 0".to_owned()), "{:?}", world.double.log());
}
