//! Other threads, other contexts, and what a capture forbids.

use super::*;
use crate::common::{c_library, library, library_at};
use crate::{books, with_device};
use ascendcl::capture::GraphDetail;
use ascendcl::{Acl, Runtime, Thread, runtime};
use ascendcl_macros::proves;
use std::sync::Barrier;

ascendcl::names!(Vision);

#[proves(GRAPH_04)]
#[test]
fn a_context_cannot_be_entered_inside() {
    let alone = alone();
    in_context(|context, thread| {
        context
            .enter(thread, |current| {
                let mut stream = stream(current);
                let graph = stream.capture(current, CaptureMode::Global, (), |_, ()| {
                    assert!(matches!(Thread::new(), Err(Error::ThreadTaken)));
                    let _ = context;
                    Ok(())
                });
                drop(graph.unwrap());
            })
            .unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_04)]
#[test]
fn earlier_work_that_another_thread_waits_for_meanwhile_is_not_told_to_have_failed() {
    let alone = alone();
    in_context(|context, thread| {
        context
            .enter(thread, |current| {
                let mut stream = stream(current);
                let (input, device, output) = io(current);
                let earlier = stream.copy_to_host(current, device, output).unwrap();
                let graph = stream.capture(current, CaptureMode::Relaxed, input, |_, _| {
                    let earlier = std::thread::scope(|scope| {
                        let waits = scope.spawn(|| {
                            context.enter(&mut Thread::new().unwrap(), |current| {
                                let refused = earlier.wait(current).unwrap_err();
                                assert!(matches!(refused.error, Error::Capturing), "{}", refused.error);
                                // The library refuses this one.
                                let refused = current.synchronize().unwrap_err();
                                assert_eq!(refused.code().unwrap().number(), 107_027);
                                refused_to(refused.rules());
                                let told: Vec<_> = current.collect();
                                assert!(told.is_empty(), "{told:?}");
                                ascendcl::Error::NotExecuted
                            })
                        });
                        waits.join().unwrap().unwrap()
                    });
                    assert!(matches!(earlier, Error::NotExecuted));
                    Ok(())
                });
                drop(graph.unwrap());
                stream.synchronize(current).unwrap();
            })
            .unwrap();
    });
    alone.assert_nothing_lives();
}

#[track_caller]
fn refused_to(rules: &[ascendcl::RuleId]) {
    assert!(rules.iter().any(|rule| rule.to_string() == "GRAPH-04"), "{rules:?}");
}

#[proves(GRAPH_04)]
#[test]
fn a_global_capture_refuses_synchronous_copies_of_other_threads_and_a_relaxed_one_does_not() {
    for (mode, allowed) in
        [(CaptureMode::Global, false), (CaptureMode::ThreadLocal, true), (CaptureMode::Relaxed, true)]
    {
        let alone = alone();
        in_context(|context, thread| {
            context
                .enter(thread, |current| {
                    let mut stream = stream(current);
                    let graph = stream.capture(current, mode, (), |_, ()| {
                        std::thread::scope(|scope| {
                            let copies = scope.spawn(|| {
                                context.enter(&mut Thread::new().unwrap(), |current| current.upload(&[1_u8]).map(drop))
                            });
                            let copied = copies.join().unwrap().unwrap();
                            assert_eq!(copied.is_ok(), allowed, "{mode:?}");
                            if let Err(refused) = copied {
                                assert_eq!(refused.code().unwrap().number(), 107_030);
                                refused_to(refused.rules());
                            }
                        });
                        Ok(())
                    });
                    drop(graph.unwrap());
                })
                .unwrap();
        });
        alone.assert_nothing_lives();
    }
}

#[test]
fn two_threads_capture_and_replay_at_once() {
    let alone = alone();
    in_context(|context, _| {
        let both = Barrier::new(2);
        std::thread::scope(|scope| {
            for number in [1.0, 2.0] {
                let both = &both;
                scope.spawn(move || {
                    context.enter(&mut Thread::new().unwrap(), |current| {
                        let mut stream = stream(current);
                        let operands = io(current);
                        let graph = stream.capture(
                            current,
                            CaptureMode::ThreadLocal,
                            operands,
                            |capture, (input, mut device, mut output)| {
                                both.wait();
                                capture.copy_to_device(&input, &mut device)?;
                                both.wait();
                                capture.copy_to_host(&device, &mut output)
                            },
                        );
                        let mut graph = graph.unwrap();
                        for round in [10.0, 20.0, 30.0] {
                            graph = assert_echoes(current, &stream, graph, number + round);
                        }
                    })
                });
            }
        });
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_graph_goes_to_another_thread_and_is_replayed_there() {
    let alone = alone();
    in_context(|context, thread| {
        let graph = context.enter(thread, |current| {
            let mut stream = stream(current);
            echo(current, &mut stream)
        });
        let graph = graph.unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                context.enter(&mut Thread::new().unwrap(), |current| {
                    let stream = stream(current);
                    drop(assert_echoes(current, &stream, graph, 6.0));
                })
            });
        });
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_05)]
#[test]
fn operands_and_streams_of_another_runtime_of_the_name_come_back() {
    let (alone, _books) = undisturbed();
    let mut runtimes = Vec::new();
    for _ in 0..2 {
        runtimes.push(Runtime::<Vision>::open(library()).unwrap());
    }
    let (first, second) = (&runtimes[0], &runtimes[1]);
    let theirs = second.with(|current| (io(current), stream(current))).unwrap();
    let graph = first
        .with(|current| {
            let mut own = stream(current);
            let (operands, mut side) = theirs;
            let refused = own.capture(current, CaptureMode::Relaxed, operands, |_, _| Ok(())).unwrap_err();
            assert!(matches!(refused.error, Error::WrongContext { .. }), "{}", refused.error);
            let refused = side.capture(current, CaptureMode::Relaxed, (), |_, ()| Ok(())).unwrap_err();
            assert!(matches!(refused.error, Error::WrongContext { .. }), "{}", refused.error);
            let operands = io(current);
            own.capture(current, CaptureMode::Relaxed, operands, |capture, (input, mut device, _)| {
                let refused = capture.fork(&mut side, |_, _| -> Result<(), Error> { panic!() }).unwrap_err();
                assert!(matches!(refused, Error::WrongContext { .. }), "{refused}");
                capture.copy_to_device(&input, &mut device)
            })
            .unwrap()
        })
        .unwrap();
    second
        .with(|current| {
            let own = stream(current);
            let refused = own.replay(current, graph).unwrap_err();
            assert!(matches!(refused.error, Error::WrongContext { .. }), "{}", refused.error);
            let mut graph = refused.value;
            assert!(matches!(graph.operands(current).map(drop), Err(Error::WrongContext { .. })));
            assert!(matches!(graph.name(current), Err(Error::WrongContext { .. })));
            let refused = graph.into_operands(current).unwrap_err();
            assert!(matches!(refused.error, Error::WrongContext { .. }), "{}", refused.error);
        })
        .unwrap();
    runtimes.iter().for_each(|runtime| runtime.close().unwrap());
    drop(runtimes);
    drop(runtime::sweep(None));
    alone.assert_nothing_lives();
}

#[test]
fn a_runtime_is_closed_with_replays_in_flight_and_graphs_that_name_nothing_afterwards() {
    let (alone, _books) = undisturbed();
    let runtime = Runtime::<Vision>::open(library()).unwrap();
    let (running, idle) = runtime
        .with(|current| {
            let mut stream = stream(current);
            let (first, second) = (echo(current, &mut stream), echo(current, &mut stream));
            (stream.replay(current, first).unwrap(), second)
        })
        .unwrap();
    runtime.close().unwrap();
    assert!(runtime.with(|_| ()).is_err());
    drop((running, idle, runtime));
    alone.assert_nothing_lives();
}

#[test]
fn names_and_prints_reach_the_library() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let graph = echo(current, &mut stream);
        graph.set_name(current, "echo").unwrap();
        assert_eq!(graph.name(current).unwrap(), "echo");
        assert!(matches!(graph.set_name(current, "e\0"), Err(Error::NulInText { .. })));
        let file = crate::common::scratch("captures").join("graph.json");
        for detail in [GraphDetail::Summary, GraphDetail::Verbose] {
            graph.debug_json(current, &file, detail).unwrap();
            assert!(std::fs::read_to_string(&file).unwrap().contains("echo"));
        }
        graph.debug_print(current).unwrap();
        fail("aclmdlRIGetName=507899,aclmdlRIDebugPrint=507899,aclmdlRIDebugJsonPrint=507899,aclmdlRISetName=507899");
        let refused = [
            graph.name(current).map(drop),
            graph.set_name(current, "other"),
            graph.debug_print(current),
            graph.debug_json(current, &file, GraphDetail::Verbose),
        ];
        crate::nothing_fails();
        let is_refused = |result: Result<(), Error>| result.unwrap_err().code().unwrap().number() == 507_899;
        assert!(refused.into_iter().all(is_refused));
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_library_without_a_function_that_graphs_need_is_not_asked_to_begin() {
    let _books = books();
    let source = include_str!("../../null/library.c").replace("aclmdlRIDestroy", "no_such_function");
    let library = library_at(c_library("library-without-graphs", &source));
    with_device(Acl::init(library).unwrap(), |device, thread| {
        let refused = device.with_current(thread, |current| {
            let mut stream = stream(current);
            let operands = io(current);
            let refused = stream.capture(current, CaptureMode::Relaxed, operands, |_, _| panic!()).unwrap_err();
            let (input, device, _) = refused.value;
            drop(stream.copy_to_device(current, input, device).unwrap().wait(current).unwrap());
            refused.error
        });
        let refused = refused.unwrap();
        let Error::CaptureUnsupported(reason) = &refused else { panic!("{refused}") };
        assert!(
            matches!(&**reason, Error::MissingFunction(missing) if missing.symbol == "aclmdlRIDestroy"),
            "{reason}"
        );
    });
}
