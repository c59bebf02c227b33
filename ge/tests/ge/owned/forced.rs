//! Runtimes that are closed by force while a graph executes.

use super::*;
use crate::common::under_watch;
use crate::support::two_digits;
use ascendcl_sim::{Calls, Config, Fault, Plan, control};
use std::env;
use std::process::Command;
use std::sync::atomic::Ordering;

const BRIEFLY: Duration = Duration::from_millis(20);

/// A service whose graph waits on its stream behind work that hangs. Each call in `refused` is refused from then on.
fn hanging(engine: &Engine<'_>, refused: &[&str]) -> Service {
    let (runtime, (session, running, seen)) = Runtime::open_with(setup(), |current| {
        let mut session = engine.open_session(current, &Options::new())?;
        let (stream, (allocator, seen)) = (current.stream()?, watched(current));
        let hangs = Plan::new().at(Calls::of("aclrtMemsetAsync"), Fault::Hangs);
        let plan = |plan: Plan, name: &&str| plan.at(Calls::of(*name), Fault::Fails(207_000));
        control::fail(refused.iter().fold(hangs, plan)).unwrap();
        let graph = two_digits(&mut session, current).compile(&mut session, current)?;
        let input = images(current, 2);
        std::mem::forget(stream.set_bytes(current, current.device_buffer::<u8>(64)?, 1)?);
        let graph = graph.register(&mut session, current, stream, allocator)?.load(&mut session, current)?;
        let running = graph.execute(&mut session, current, input)?;
        Ok((session, running, seen))
    })
    .unwrap();
    Service { graph: None, outputs: None, running: Some(running), session, runtime, seen }
}

/// Nothing of it reaches the engine, also not in a runtime of the name.
fn is_of_no_use(world: &World, service: Service) {
    let Service { running, session, runtime, .. } = service;
    assert!(runtime.with(|_| ()).is_err());
    let next = Runtime::<Vision>::open(setup()).unwrap();
    next.with(|current| {
        world.untouched(|| {
            if let Ok(done) = running.unwrap().wait(current) {
                assert!(done.outputs.to_vec::<f32>(current, 0).is_err());
            }
            let refused = session.close(current).unwrap_err();
            assert!(matches!(refused.error, Error::Gone { .. } | Error::WrongContext { .. }), "{}", refused.error);
        });
    })
    .unwrap();
    next.close().unwrap();
}

/// A stream with an allocator, besides the one of the graph.
fn registered_in(service: &mut Service) -> Arc<Seen> {
    let Service { session, runtime, .. } = service;
    let registered = runtime.with(|current| {
        let (allocator, seen) = watched(current);
        std::mem::forget(session.register(current, current.stream().unwrap(), allocator).unwrap());
        seen
    });
    registered.unwrap()
}

/// The engine knows the lost allocators under the handles of their streams. New streams have these handles, and no allocators
/// of their own.
fn lend_nothing_any_more(engine: &Engine<'_>, lost: &[Arc<Seen>]) {
    let asked = || lost.iter().map(|seen| seen.allocated.load(Ordering::SeqCst)).collect::<Vec<_>>();
    let before = asked();
    let next = Runtime::<Vision>::open(setup()).unwrap();
    let refused = next.with(|current| {
        let mut session = engine.open_session(current, &Options::new()).unwrap();
        let mut is_refused = || {
            let graph = two_digits(&mut session, current).compile(&mut session, current).unwrap();
            graph.load_on(&mut session, current, current.stream().unwrap()).is_err()
        };
        (0..8).filter(|_| is_refused()).count()
    });
    assert_eq!(asked(), before);
    // The default stream of the context has the handle of one of the three lost ones, and the engine's context another.
    assert!(refused.unwrap() >= 1, "no handle is used again");
    next.close().unwrap();
}

#[proves(STREAM_17, GE_11, GE_20)]
#[test]
fn a_session_whose_work_could_be_discarded_ends_with_its_runtime() {
    let world = world();
    world.engine(|engine| {
        let service = hanging(engine, &[]);
        assert_eq!(service.runtime.close_by_force(BRIEFLY).unwrap(), [""; 0]);
        control::fail(Plan::new()).unwrap();
        assert_eq!((world.double.count("sessions"), service.seen.out()), (0, 0));
        assert_eq!(service.dropped(), [0]);
        is_of_no_use(&world, service);
    });
}

/// The reset ends the default context, and the engine cannot take its session down any more. It is lost, and with it the
/// end of the engine: the test below runs in a process of its own.
#[proves(ALLOC_16, DEV_08, DEV_09, GE_09, GE_11)]
#[test]
fn a_session_that_is_lost_with_its_context_keeps_the_engine() {
    let child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "--ignored", "owned::forced::in_a_process_of_its_own_a_session_is_lost"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout);
    assert!(said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&child.stderr));
}

#[test]
#[ignore = "leaves this process with an engine that cannot be closed"]
fn in_a_process_of_its_own_a_session_is_lost() {
    let world = world();
    control::configure(under_watch(Config::new().reuse_handles(true))).unwrap();
    let acl = common::acl();
    let engine = Engine::init(&acl, &world.place(), &Options::new()).unwrap();
    let mut service = hanging(&engine, &["aclrtStreamAbort", "aclrtDeviceTaskAbort"]);
    let others: Vec<_> = (0..2).map(|_| registered_in(&mut service)).collect();
    let lost = service.runtime.close_by_force(BRIEFLY).unwrap();
    control::fail(Plan::new()).unwrap();
    assert!(lost.iter().any(|lost| lost.contains("1 graph engine session(s)")), "{lost:?}");
    assert_eq!((world.double.count("sessions"), service.dropped().len()), (1, 0), "the engine may still use all of it");
    let seen: Vec<_> = others.into_iter().chain([Arc::clone(&service.seen)]).collect();
    is_of_no_use(&world, service);
    lend_nothing_any_more(&engine, &seen);
    // Another runtime works with the engine. Its session can be closed, the one that was lost cannot.
    let mut next = Service::open(&engine);
    next.infers();
    let refused = engine.close().unwrap_err();
    assert!(matches!(refused.error.extension(), Some(EngineError::SessionsLeft { count: 2, lost: 1 })), "{refused}");
    let said = refused.error.to_string();
    assert!(said.contains("close 1 of them") && said.contains("end the process then"), "{said}");
    next.runtime.close().unwrap();
    let refused = refused.value.close().unwrap_err();
    assert!(matches!(refused.error.extension(), Some(EngineError::SessionsLeft { count: 1, lost: 1 })), "{refused}");
    let said = refused.error.to_string();
    assert!(said.contains("end the process") && !said.contains("session.close"), "{said}");
}
