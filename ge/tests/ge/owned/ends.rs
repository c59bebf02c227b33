//! Values that outlive their session, and sessions that outlive their handle and their engine.

use super::*;
use ascendcl::allocator::PoolAllocator;
use ascendcl::runtime::CloseError;
use ascendcl_ge::{GraphSource, RawInputs};
use ascendcl_ge_double::Upset;
use ascendcl_sim::control;
use std::mem;

/// None of the values does anything, in any session.
fn are_of_no_use(
    world: &World,
    engine: &Engine<'_>,
    runtime: &Runtime<Vision>,
    graph: Owned,
    outputs: Outputs<Vision>,
) {
    let mut next = opened(engine, runtime);
    assert!(graph.with_allocator(|_| ()).is_none(), "the allocator went with the session");
    runtime
        .with(|current| {
            let mut graph = graph;
            let (graph, outputs) = world.untouched(|| {
                assert_eq!(outputs.len(), 0);
                is_gone(&outputs.element(0).unwrap_err());
                is_gone(&outputs.shape(0).unwrap_err());
                is_gone(&outputs.to_vec::<f32>(current, 0).unwrap_err());
                let refused = outputs.release(&mut next, current).unwrap_err();
                is_gone(&refused.error);
                is_gone(&graph.idle(&mut next, current).map(drop).unwrap_err());
                let executed = graph.execute(&mut next, current, images(current, 2)).unwrap_err();
                is_gone(&executed.error);
                let removed = executed.value.0.remove(&mut next, current).unwrap_err();
                is_gone(&removed.error);
                (removed.value, refused.value)
            });
            drop((graph, outputs));
            next.close(current).unwrap();
            assert_eq!(current.collect().len(), 0);
        })
        .unwrap();
}

#[proves(GE_09, GE_11, GE_20, GE_21)]
#[test]
fn graphs_and_outputs_of_a_session_that_was_closed_are_gone() {
    let world = world();
    world.engine(|engine| {
        let mut service = Service::open(engine);
        service.infers();
        let Service { graph, outputs, session, runtime, seen, .. } = service;
        runtime.with(|current| session.close(current).unwrap()).unwrap();
        assert_eq!((world.double.count("sessions"), world.double.count("graphs")), (0, 0));
        assert_eq!((seen.out(), seen.dropped.lock().unwrap().clone()), (0, vec![0]));
        // The handle of the graph does not keep its stream.
        runtime.with(|current| assert_eq!(current.collect().len(), 0)).unwrap();
        assert_eq!(control::live().streams, 0);
        are_of_no_use(&world, engine, &runtime, graph.unwrap(), outputs.unwrap());
        runtime.close().unwrap();
    });
}

#[proves(GE_11, GE_20)]
#[test]
fn a_session_that_is_dropped_is_collected_and_its_graphs_and_outputs_are_gone() {
    let world = world();
    world.engine(|engine| {
        let mut service = Service::open(engine);
        service.infers();
        let Service { graph, outputs, session, runtime, seen, .. } = service;
        world.untouched(|| drop(session));
        assert_eq!(world.double.count("sessions"), 1, "dropping calls nothing");
        runtime.with(|current| assert_eq!(current.collect().len(), 0)).unwrap();
        assert_eq!((world.double.count("sessions"), world.double.count("graphs")), (0, 0));
        assert_eq!(*seen.dropped.lock().unwrap(), [0]);
        are_of_no_use(&world, engine, &runtime, graph.unwrap(), outputs.unwrap());
        runtime.close().unwrap();
    });
}

#[proves(GE_11, GE_20, GE_21)]
#[test]
fn what_outlives_its_runtime_does_nothing() {
    let world = world();
    world.engine(|engine| {
        let mut service = Service::open(engine);
        service.infers();
        service.begins();
        let Service { outputs, running, mut session, runtime, seen, .. } = service;
        runtime.close().unwrap();
        assert_eq!((world.double.count("sessions"), seen.out()), (0, 0));
        assert_eq!(*seen.dropped.lock().unwrap(), [0]);
        let (outputs, running) = (outputs.unwrap(), running.unwrap());
        let next = Runtime::<Vision>::open(setup()).unwrap();
        next.with(|current| {
            world.untouched(|| {
                // The work is known to be over, so the wait asks nobody. What it gives back is of no use.
                let done = running.wait(current).unwrap();
                is_gone(&done.outputs.to_vec::<f32>(current, 0).unwrap_err());
                assert!(
                    done.inputs.into_buffer().to_vec(current).is_err() && done.graph.with_allocator(|_| ()).is_none()
                );
                is_gone(&outputs.to_vec::<f32>(current, 0).unwrap_err());
                let collected = session.collect(current);
                assert_eq!(collected.len(), 1);
                is_gone(&collected[0]);
                is_gone(&session.close(current).unwrap_err().error);
            });
        })
        .unwrap();
        next.close().unwrap();
    });
}

/// The work is dropped, forgotten or kept; then the session ends, then the runtime.
#[proves(GE_09, GE_20, MEM_02)]
#[test]
fn work_in_flight_is_waited_for_by_the_end_of_its_session() {
    let world = world();
    world.engine(|engine| {
        for what in ["dropped", "forgotten", "kept"] {
            let mut service = Service::open(engine);
            world.double.hold(true);
            service.begins();
            let Service { running, session, runtime, seen, .. } = service;
            let mut kept = running;
            match what {
                "dropped" => drop(kept.take()),
                "forgotten" => mem::forget(kept.take()),
                _ => {}
            }
            std::thread::scope(|scope| {
                let closes = scope.spawn(|| runtime.with(|current| session.close(current).unwrap()).unwrap());
                std::thread::sleep(Duration::from_millis(30));
                assert!(!closes.is_finished() && seen.dropped.lock().unwrap().is_empty(), "it waits");
                world.double.hold(false);
                closes.join().unwrap();
            });
            assert_eq!((world.double.count("sessions"), seen.out()), (0, 0), "{what}");
            assert_eq!(*seen.dropped.lock().unwrap(), [0]);
            if let Some(kept) = kept {
                let done = runtime.with(|current| kept.wait(current).unwrap()).unwrap();
                runtime
                    .with(|current| {
                        is_gone(&done.outputs.to_vec::<f32>(current, 0).unwrap_err());
                        assert_eq!(done.inputs.into_buffer().to_vec(current).unwrap().len(), 128);
                    })
                    .unwrap();
            }
            runtime.close().unwrap();
        }
    });
}

#[proves(GE_10, GE_11)]
#[test]
fn an_engine_is_not_closed_while_a_session_lives_in_a_runtime_and_a_dropped_one_goes_on() {
    let world = world();
    let acl = common::acl();
    let engine = Engine::init(&acl, &world.place(), &Options::new()).unwrap();
    let mut service = Service::open(&engine);
    let refused = engine.close().unwrap_err();
    assert!(matches!(refused.error.extension(), Some(EngineError::SessionsLeft { count: 1, lost: 0 })), "{refused}");
    drop(refused.value);
    service.infers();
    let left = Engine::init(&acl, &world.place(), &Options::new()).unwrap_err();
    assert!(matches!(left.extension(), Some(EngineError::SessionsLeft { count: 1, lost: 0 })), "{left}");
    let acl = acl.close().unwrap_err().value;
    service.infers();
    // The session ends with its runtime.
    service.runtime.close().unwrap();
    let engine = Engine::init(&acl, &world.place(), &Options::new()).unwrap();
    engine.close().unwrap();
    acl.close().unwrap();
    assert_eq!(service.dropped(), [0]);
    world.assert_nothing_lives();
}

/// A stream with an allocator that serves no graph of this crate.
#[proves(GE_04, GE_09, GE_11)]
#[test]
fn a_registered_stream_ends_with_its_session() {
    let world = world();
    world.engine(|engine| {
        let runtime = Runtime::<Vision>::open(setup()).unwrap();
        let (mut session, mut next) = (opened(engine, &runtime), opened(engine, &runtime));
        runtime
            .with(|current| {
                let (allocator, seen) = watched(current);
                let mut stream = session.register(current, current.stream().unwrap(), allocator).unwrap();
                let mut graph = crate::support::two_digits(&mut session, current);
                let registered =
                    crate::support::two_digits(&mut session, current).compile(&mut session, current).unwrap();
                let (stream_of_graph, pool) =
                    (current.stream().unwrap(), PoolAllocator::new(current, 1 << 20).unwrap());
                let registered = registered.register(&mut session, current, stream_of_graph, pool).unwrap();
                session.close(current).unwrap();
                assert_eq!(*seen.dropped.lock().unwrap(), [0]);
                assert!(stream.with_allocator(|_| ()).is_none());
                world.untouched(|| {
                    // SAFETY: there are none.
                    let inputs = unsafe { RawInputs::new([]) };
                    is_gone(&stream.run(&mut next, current, &mut graph, &inputs).map(drop).unwrap_err());
                    is_gone(&stream.idle(&mut next, current).map(drop).unwrap_err());
                    is_gone(&registered.load(&mut next, current).unwrap_err().error);
                    let pool = PoolAllocator::new(current, 1 << 20).unwrap();
                    let refused = stream.replace(&mut next, current, pool).unwrap_err();
                    is_gone(&refused.error);
                    is_gone(&refused.value.0.unregister(&mut next, current).unwrap_err().error);
                });
                next.close(current).unwrap();
            })
            .unwrap();
        runtime.close().unwrap();
    });
}

/// A proof that was made before the session ended.
#[proves(GE_05, GE_09)]
#[test]
fn a_proof_of_idleness_that_outlives_the_session_frees_nothing() {
    let world = world();
    world.engine(|engine| {
        let runtime = Runtime::<Vision>::open(setup()).unwrap();
        let mut session = opened(engine, &runtime);
        runtime
            .with(|current| {
                let pool = PoolAllocator::new(current, 1 << 20).unwrap();
                let mut graph = loaded_with(&mut session, current, pool);
                let proof = graph.idle(&mut session, current).unwrap();
                session.close(current).unwrap();
                assert!(proof.with_allocator(|_| ()).is_none());
                assert!(proof.trim(current).is_err());
            })
            .unwrap();
        runtime.close().unwrap();
    });
}

/// Each part of the engine refuses once. The session comes back, and the second try ends it.
#[proves(GE_08, GE_09)]
#[test]
fn a_session_whose_graph_is_not_removed_comes_back_and_is_closed_the_next_time() {
    let world = world();
    world.engine(|engine| {
        for call in ["RemoveGraph", "UnregisterExternalAllocator"] {
            let mut service = Service::open(engine);
            service.infers();
            world.fails(call);
            let Service { session, runtime, seen, .. } = service;
            let refused = runtime.with(|current| session.close(current).unwrap_err()).unwrap();
            let Some(EngineError::Failed(failed)) = refused.error.extension() else { panic!("{}", refused.error) };
            assert_eq!((failed.call, world.double.count("sessions")), (call, 1));
            assert!(seen.dropped.lock().unwrap().is_empty());
            runtime.with(|current| refused.value.close(current).unwrap()).unwrap();
            assert_eq!(*seen.dropped.lock().unwrap(), [0]);
            runtime.close().unwrap();
        }
        // What the engine refuses when nobody can try again goes with the session, and is told.
        let service = Service::open(engine);
        world.fails("RemoveGraph");
        let Err(CloseError::Teardown { errors }) = service.runtime.close() else { panic!("it is not told") };
        assert!(errors.iter().any(|error| error.to_string().contains("RemoveGraph")), "{errors:?}");
        service.runtime.close().unwrap();
        assert_eq!(service.dropped(), [0]);
    });
}

/// The fields end in any order, with work in flight.
#[proves(GE_11, GE_20)]
#[test]
fn a_service_that_is_dropped_or_forgotten_part_by_part_is_swept() {
    let world = world();
    world.engine(|engine| {
        for order in 0..6 {
            let mut service = Service::open(engine);
            service.infers();
            service.begins();
            let Service { outputs, running, session, runtime, seen, .. } = service;
            match order {
                0 => drop((runtime, session, running, outputs)),
                1 => drop((outputs, running, session, runtime)),
                2 => drop((session, runtime, outputs, running)),
                3 => {
                    mem::forget((session, running));
                    drop((outputs, runtime));
                }
                4 => {
                    mem::forget((outputs, running));
                    drop((runtime, session));
                }
                _ => {
                    drop(running);
                    mem::forget((session, outputs));
                    drop(runtime);
                }
            }
            sweep();
            assert_eq!((world.double.count("sessions"), seen.out()), (0, 0), "{order}");
            assert_eq!(*seen.dropped.lock().unwrap(), [0], "{order}");
        }
    });
}

/// Opens a service, executes its graph and closes it. Each step may fail.
fn lives(engine: &Engine<'_>) -> Result<(), Error> {
    let (runtime, (mut session, graph)) = Runtime::<Vision>::open_with(setup(), |current| {
        let mut session = engine.open_session(current, &Options::new())?;
        let model = common::digits_in_batches_of(2);
        let graph = session.add(current, GraphSource::onnx(&model), &Options::new())?.compile(&mut session, current)?;
        let (stream, pool) = (current.stream()?, PoolAllocator::new(current, 1 << 20)?);
        let graph = graph.register(&mut session, current, stream, pool)?.load(&mut session, current)?;
        Ok((session, graph))
    })?;
    let used = runtime.with(|current| {
        let done = graph.execute(&mut session, current, images(current, 2))?.wait(current)?;
        assert_eq!(done.outputs.to_vec::<f32>(current, 0)?.len(), 20);
        drop(done.outputs);
        let mut graph = done.graph;
        graph.idle(&mut session, current)?.trim(current)?;
        Ok(session.close(current)?)
    });
    let closed = runtime.close();
    let again = runtime.close();
    assert!(again.is_ok(), "{again:?}");
    used.and_then(|used| used).and(closed.map_err(Error::from))
}

#[proves(GE_08, GE_11)]
#[test]
fn each_call_of_the_engine_fails_once_under_a_service_and_nothing_is_left() {
    let world = world();
    world.engine(|engine| {
        let mut failed = 0;
        for number in 1..100 {
            world.double.reset();
            world.double.upset_at(number, Upset::Fail);
            let result = lives(engine);
            let calls = world.double.count("calls");
            world.double.reset();
            sweep();
            for what in ["sessions", "graphs", "allocators"] {
                assert_eq!(world.double.count(what), 0, "{what} after call {number} failed: {result:?}");
            }
            assert_eq!(result.is_err(), number <= calls, "call {number} of {calls}: {result:?}");
            failed += usize::from(result.is_err());
        }
        assert!((8..30).contains(&failed), "{failed}");
    });
}
