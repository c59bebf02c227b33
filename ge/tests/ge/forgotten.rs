//! Values that are forgotten. Their scope releases the objects.

use crate::common;
use crate::support::{images, loaded_with, two_digits, watched, world};
use ascendcl::{Error, allocator::PoolAllocator};
use ascendcl_ge::{Engine, EngineError, Options};
use ascendcl_macros::proves;
use std::env;
use std::mem::forget;
use std::process::Command;

#[test]
#[proves(GE_09, GE_11, GE_21)]
fn a_forgotten_graph_goes_with_its_session_in_every_state() {
    let world = world();
    world.session(|session, current| {
        let compiled = |session: &mut _| two_digits(session, current).compile(session, current).unwrap();
        let pool = || PoolAllocator::new(current, 1 << 20).unwrap();
        forget(two_digits(session, current));
        forget(compiled(session));
        forget(compiled(session).register(session, current, current.stream().unwrap(), pool()).unwrap());
        forget(compiled(session).load_on(session, current, current.stream().unwrap()).unwrap());
        forget(loaded_with(session, current, pool()));
        assert_eq!(world.double.count("graphs"), 5);
        assert_eq!(session.collect(current).len(), 0);
        assert_eq!(world.double.count("graphs"), 5, "forgetting keeps the name: only the scope's end takes it down");
    });
}

#[test]
fn a_dropped_graph_is_collected_and_its_allocator_with_it() {
    let world = world();
    world.session(|session, current| {
        let (allocator, seen) = watched(current);
        drop(loaded_with(session, current, allocator));
        assert_eq!(world.double.count("graphs"), 1, "dropping calls nothing");
        let errors = session.collect(current);
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!((world.double.count("graphs"), world.double.count("allocators")), (0, 0));
        assert_eq!(*seen.dropped.lock().unwrap(), [0]);
    });
}

#[test]
#[proves(GE_20)]
fn what_a_graph_that_was_dropped_in_flight_uses_stays_until_it_was_waited_for() {
    let world = world();
    world.session(|session, current| {
        let (allocator, seen) = watched(current);
        let graph = loaded_with(session, current, allocator);
        world.double.hold(true);
        let before = ascendcl_sim::control::live().device_blocks;
        drop(graph.execute(session, current, images(current, 2)).unwrap());
        assert_eq!(current.collect().len(), 0);
        assert_eq!(ascendcl_sim::control::live().device_blocks, before + 1, "the input is still there");
        assert_eq!(seen.out(), 3, "constants, features and the output");
        world.double.hold(false);
        assert_eq!(session.collect(current).len(), 0);
        assert_eq!((world.double.count("graphs"), seen.out()), (0, 0));
        assert_eq!(*seen.dropped.lock().unwrap(), [0]);
    });
}

#[test]
#[proves(GE_21)]
fn forgotten_outputs_and_work_in_flight_are_released_before_their_allocator_goes() {
    let world = world();
    let seen = world.session(|session, current| {
        let (allocator, seen) = watched(current);
        let graph = loaded_with(session, current, allocator);
        let done = graph.execute(session, current, images(current, 2)).unwrap().wait(current).unwrap();
        forget(done.outputs);
        forget(done.graph.execute(session, current, done.inputs).unwrap());
        seen
    });
    assert_eq!(*seen.dropped.lock().unwrap(), [0]);
}

#[test]
fn a_forgotten_proof_of_idleness_does_not_keep_the_allocator() {
    let world = world();
    world.session(|session, current| {
        let pool = PoolAllocator::new(current, 1 << 20).unwrap();
        let mut graph = loaded_with(session, current, pool);
        forget(graph.idle(session, current).unwrap());
        let (stream, pool) = graph.remove(session, current).unwrap();
        let mut stream = stream.register(current, pool).unwrap();
        forget(stream.idle(current).unwrap());
        let (_stream, pool) = stream.unregister(current).unwrap();
        pool.release(current).unwrap();
    });
}

#[test]
fn a_dropped_graph_whose_outputs_have_a_name_is_collected_when_they_have_gone() {
    let world = world();
    world.session(|session, current| {
        let (allocator, _seen) = watched(current);
        let graph = loaded_with(session, current, allocator);
        let done = graph.execute(session, current, images(current, 2)).unwrap().wait(current).unwrap();
        drop(done.graph);
        assert_eq!(session.collect(current).len(), 0);
        assert_eq!(done.outputs.to_vec::<f32>(current, 0).unwrap().len(), 20);
        done.outputs.release(session, current).unwrap();
        assert_eq!((session.collect(current).len(), world.double.count("graphs")), (0, 0));
    });
}

#[test]
fn dropped_outputs_are_released_by_the_next_execution() {
    let world = world();
    world.session(|session, current| {
        let (allocator, seen) = watched(current);
        let graph = loaded_with(session, current, allocator);
        let done = graph.execute(session, current, images(current, 2)).unwrap().wait(current).unwrap();
        drop(done.outputs);
        assert_eq!(seen.out(), 3, "dropping calls nothing");
        let done = done.graph.execute(session, current, done.inputs).unwrap().wait(current).unwrap();
        assert_eq!(seen.out(), 3);
        drop(done.outputs);
        let _left = done.graph.remove(session, current).unwrap();
        assert_eq!(seen.out(), 0);
    });
}

#[test]
#[proves(GE_10)]
fn a_forgotten_engine_stays_taken() {
    let child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "--ignored", "forgotten::in_a_process_of_its_own_an_engine_is_forgotten"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success() && said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&child.stderr));
}

/// The engine is one per process: the test above runs this one in another.
#[test]
#[ignore = "leaves this process without an engine"]
fn in_a_process_of_its_own_an_engine_is_forgotten() {
    let world = world();
    let acl = common::acl();
    forget(Engine::init(&acl, &world.place(), &Options::new()).unwrap());
    let taken = Engine::init(&acl, &world.place(), &Options::new()).unwrap_err();
    assert!(matches!(taken.extension(), Some(EngineError::Taken)), "{taken}");
    assert_eq!(world.double.count("initialised"), 1);
    let refused = acl.close().unwrap_err();
    let error = Error::from(refused);
    assert!(matches!(error, Error::LibraryInUse { .. }), "{error}");
}
