//! Sessions that end while other threads are in their runtime or have their values.

use super::*;
use ascendcl::runtime::CloseError;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::channel;

#[proves(GE_12, GE_20)]
#[test]
fn a_runtime_is_not_closed_under_a_thread_that_executes() {
    let world = world();
    world.engine(|engine| {
        let mut service = Service::open(engine);
        let Service { graph, session, runtime, seen, .. } = &mut service;
        let ((inside, waits), (go, goes)) = (channel(), channel());
        std::thread::scope(|scope| {
            let (runtime, double) = (&*runtime, world.double);
            let executes = scope.spawn(move || {
                runtime
                    .with(|current| {
                        double.hold(true);
                        let loaded = graph.take().unwrap();
                        let running = loaded.execute(session, current, images(current, 2)).unwrap();
                        inside.send(()).unwrap();
                        goes.recv().unwrap();
                        double.hold(false);
                        let done = running.wait(current).unwrap();
                        done.outputs.to_vec::<f32>(current, 0).unwrap().len()
                    })
                    .unwrap()
            });
            waits.recv().unwrap();
            assert!(matches!(runtime.close(), Err(CloseError::Busy { inside: 1 })));
            let closes = scope.spawn(|| runtime.close_within(Duration::from_secs(20)));
            go.send(()).unwrap();
            assert_eq!(executes.join().unwrap(), 20);
            closes.join().unwrap().unwrap();
        });
        assert_eq!((seen.out(), seen.dropped.lock().unwrap().clone()), (0, vec![0]));
    });
}

/// Readers have no session, and the first two calls have no context.
#[proves(GE_20, GE_21)]
#[test]
fn outputs_are_not_released_under_a_thread_that_reads_them() {
    let world = world();
    world.engine(|engine| {
        for round in 0..20 {
            let mut service = Service::open(engine);
            service.infers();
            let Service { outputs, session, runtime, seen, .. } = service;
            let (outputs, over) = (outputs.unwrap(), AtomicBool::new(false));
            let expected = runtime.with(|current| outputs.to_vec::<f32>(current, 0).unwrap()).unwrap();
            std::thread::scope(|scope| {
                for _ in 0..2 {
                    scope.spawn(|| {
                        while !over.load(SeqCst) {
                            assert!(outputs.len() <= 1);
                            match outputs.shape(0) {
                                Ok(shape) => assert_eq!(shape, [2, 10]),
                                Err(error) => is_gone(&error),
                            }
                            match runtime.with(|current| outputs.to_vec::<f32>(current, 0)) {
                                Ok(Ok(read)) => assert_eq!(read, expected),
                                Ok(Err(error)) => is_gone(&error),
                                Err(error) => assert!(matches!(error, Error::Gone { .. }), "{error}"),
                            }
                        }
                    });
                }
                if round % 2 == 0 {
                    let mut closing = Some(session);
                    while let Some(session) = closing.take() {
                        closing = runtime.with(|current| session.close(current)).unwrap().err().map(|refused| {
                            assert!(matches!(refused.error, Error::StillRunning { .. }), "{}", refused.error);
                            refused.value
                        });
                    }
                    assert_eq!(*seen.dropped.lock().unwrap(), [0]);
                } else {
                    // A reader may be between two of the engine's answers.
                    while runtime.close_within(Duration::from_secs(20)).is_err() {}
                }
                over.store(true, SeqCst);
            });
            assert_eq!(outputs.len(), 0);
            runtime.close().unwrap();
            assert_eq!(*seen.dropped.lock().unwrap(), [0]);
        }
    });
}

/// A session goes from thread to thread, and its dropped end is collected on another one.
#[proves(GE_12)]
#[test]
fn a_session_is_used_by_one_thread_after_the_other_beside_a_session_of_its_runtime() {
    let world = world();
    world.engine(|engine| {
        let mut service = Service::open(engine);
        let mut other = opened(engine, &service.runtime);
        for _ in 0..4 {
            std::thread::scope(|scope| scope.spawn(|| service.infers()).join().unwrap());
            std::thread::scope(|scope| scope.spawn(|| drop(service.outputs.take())).join().unwrap());
        }
        let Service { graph, session, runtime, seen, .. } = service;
        std::thread::scope(|scope| {
            scope.spawn(|| drop(session));
            scope.spawn(|| drop(graph));
            let adds = scope.spawn(|| {
                let add = |current: &mut Current<Vision>| {
                    let graph = crate::support::two_digits(&mut other, current);
                    graph.compile(&mut other, current).unwrap().remove(&mut other, current).unwrap();
                };
                runtime.with(add).unwrap();
            });
            adds.join().unwrap();
        });
        std::thread::scope(|scope| {
            let collects = scope.spawn(|| runtime.with(|current| current.collect().len()).unwrap());
            assert_eq!(collects.join().unwrap(), 0);
        });
        assert_eq!((world.double.count("sessions"), seen.dropped.lock().unwrap().clone()), (1, vec![0]));
        runtime.with(|current| other.close(current).unwrap()).unwrap();
        runtime.close().unwrap();
    });
}
