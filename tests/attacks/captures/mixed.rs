//! Graphs beside other objects: arenas, shared memory, memory in doubt, other graphs, other libraries.

use super::groups::{Op, operator, with_two};
use super::*;
use crate::common::{assert_lives, library, library_at, null_library};
use ascendcl::operator;
use ascendcl::{Runtime, SharedBuffer, Thread, runtime};
use ascendcl_macros::proves;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

ascendcl::names!(Graphs, Others);

/// The arena's memory is one block. A graph that was dropped may still replay in a part of it.
#[proves(MEM_02, GRAPH_05)]
#[test]
fn an_arena_waits_for_graphs_that_were_dropped_with_a_part_of_it() {
    static GO_ON: AtomicBool = AtomicBool::new(false);
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let mut arena = current.device_arena(4096).unwrap();
        let part = arena.take::<f32>(LENGTH).unwrap().zero(current).unwrap();
        let operands = (current.host_buffer::<f32>(LENGTH).unwrap(), part);
        let captured = stream.capture(current, CaptureMode::Relaxed, operands, |capture, (input, mut part)| {
            capture.launch_host_fn((), |()| {
                while !GO_ON.load(SeqCst) {
                    std::thread::yield_now();
                }
            })?;
            capture.copy_to_device(&input, &mut part)
        });
        drop(stream.replay(current, captured.unwrap()).unwrap());
        collect(current);
        assert!(matches!(arena.reset(current), Err(Error::StillShared | Error::StillRunning { .. })));
        let mut arena = arena.free(current).unwrap_err().value;
        GO_ON.store(true, SeqCst);
        stream.synchronize(current).unwrap();
        assert!(arena.reset(current).is_err(), "the graph still names the part");
        collect(current);
        arena.reset(current).unwrap();
        assert_eq!(arena.remaining(), arena.capacity());
        arena.free(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02, GRAPH_05)]
#[test]
fn shared_memory_comes_back_when_the_last_of_many_graphs_on_many_threads_has_gone() {
    let alone = alone();
    in_context(|context, thread| {
        let shared =
            context.enter(thread, |current| current.upload(&[3.0_f32; LENGTH]).unwrap().into_shared()).unwrap();
        std::thread::scope(|scope| {
            for number in 0..4 {
                let shared = shared.clone();
                scope.spawn(move || {
                    let entered = context.enter(&mut Thread::new().unwrap(), |current| {
                        let mut stream = stream(current);
                        let part = shared.slice(16 * number..16 * (number + 1)).unwrap();
                        let operands = (shared, part, current.host_buffer::<f32>(LENGTH).unwrap());
                        let graph = stream.capture(
                            current,
                            CaptureMode::ThreadLocal,
                            operands,
                            |capture, (shared, _, mut out)| capture.copy_shared_to_host(&shared, &mut out),
                        );
                        let replay = stream.replay(current, graph.unwrap()).unwrap();
                        match number {
                            0 => drop(replay),
                            1 => drop(stream.replay(current, replay).unwrap().wait(current).unwrap()),
                            2 => drop(replay.wait(current).unwrap().into_operands(current).unwrap()),
                            _ => drop(replay.wait_within(current, std::time::Duration::from_secs(5)).unwrap()),
                        }
                        stream.synchronize(current).unwrap();
                    });
                    entered.unwrap();
                });
            }
        });
        let entered = context.enter(thread, |current| {
            let whole: SharedBuffer<_, f32> = shared;
            let refused = whole.try_unshare(current).unwrap_err();
            collect(current);
            assert_eq!(refused.value.try_unshare(current).unwrap().to_vec(current).unwrap(), [3.0; LENGTH]);
        });
        entered.unwrap();
    });
    alone.assert_nothing_lives();
}

/// Builds, replays and ends of other graphs while a build and one of its cases are open.
#[proves(GRAPH_08, STREAM_20)]
#[test]
fn graphs_are_built_replayed_and_destroyed_within_cases_of_others() {
    let alone = alone();
    inside(|current| {
        let stream = stream(current);
        let index = |number: u32| current.upload(&[number]).unwrap();
        let mut outer = current.build_graph((index(1), current.upload(&[0_u8; 4]).unwrap())).unwrap();
        let added = outer.add(current, |tasks, (number, mut bytes)| {
            tasks.switch(&number, 2, |tasks, case| {
                let mut inner = current.build_graph((index(1), current.upload(&[0_u8; 4])?))?;
                inner.add(current, |inner, (number, mut theirs)| {
                    // The tasks of both builds alternate.
                    tasks.set_bytes(&mut bytes, 10 + case as u8)?;
                    inner.switch(&number, 2, |inner, other| {
                        tasks.set_bytes(&mut bytes, 20 + case as u8)?;
                        inner.set_bytes(&mut theirs, other as u8)
                    })
                })?;
                let mut graph = stream.replay(current, inner.end(current)?)?.wait(current)?;
                assert_eq!(graph.operands(current)?.1.to_vec(current)?, [1; 4]);
                if case == 0 {
                    drop(graph.into_operands(current)?);
                }
                collect(current);
                Ok(())
            })
        });
        added.unwrap();
        let mut graph = stream.replay(current, outer.end(current).unwrap()).unwrap().wait(current).unwrap();
        assert_eq!(graph.operands(current).unwrap().1.to_vec(current).unwrap(), [21; 4]);
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_08)]
#[test]
fn two_libraries_build_at_once_and_neither_gets_the_others_objects() {
    let (alone, _books) = undisturbed();
    let real = Runtime::<Graphs>::open(library()).unwrap();
    let other = Runtime::<Graphs>::open(library_at(null_library())).unwrap();
    let foreign =
        other.with(|current| (current.upload(&[1_u32]).unwrap(), current.stream().unwrap().without_allocator()));
    let (their_index, mut their_stream) = foreign.unwrap();
    let checked = real.with(|current| {
        let refused = current.build_graph((their_index, current.upload(&[0_u8; 4]).unwrap())).unwrap_err();
        assert!(matches!(refused.error, Error::WrongContext { .. }), "{}", refused.error);
        let (their_index, own) = refused.value;
        let mut build = current.build_graph((current.upload(&[0_u32]).unwrap(), own)).unwrap();
        let ready = current.build_graph(()).unwrap().end(current).unwrap();
        let within = other.enter(current, |theirs| {
            let added = build.add(theirs, |_, _| unreachable!("the build is of the other library"));
            assert!(matches!(added, Err(Error::WrongContext { .. })), "{added:?}");
            let refused = their_stream.replay(theirs, ready).unwrap_err();
            assert!(matches!(refused.error, Error::WrongContext { .. }), "{}", refused.error);
            refused.value.into_operands(theirs).unwrap_err().value
        });
        let ready = within.unwrap();
        let refused = their_stream.replay(current, ready).unwrap_err();
        assert!(matches!(refused.error, Error::WrongContext { .. }), "{}", refused.error);
        let refused = their_stream.capture(current, CaptureMode::Relaxed, their_index, |_, _| Ok(())).unwrap_err();
        assert!(matches!(refused.error, Error::WrongContext { .. }), "{}", refused.error);
        // The build has not changed.
        let added = build.add(current, |tasks, (index, mut bytes)| {
            tasks.switch(&index, 2, |tasks, case| tasks.set_bytes(&mut bytes, case as u8 + 1))
        });
        added.unwrap();
        let graph = stream(current).replay(current, build.end(current).unwrap()).unwrap();
        let mut graph = graph.wait(current).unwrap();
        assert_eq!(graph.operands(current).unwrap().1.to_vec(current).unwrap(), [1; 4]);
    });
    checked.unwrap();
    real.close().unwrap();
    other.close().unwrap();
    alone.assert_nothing_lives();
}

/// The state of a callback is code of the program when it is dropped: it enters the runtime again, collects, or panics.
#[proves(CB_09, GRAPH_05)]
#[test]
fn states_of_callbacks_that_enter_the_runtime_or_panic_when_they_are_dropped() {
    struct Enters(Arc<Runtime<Graphs>>, Arc<AtomicUsize>);
    impl Drop for Enters {
        fn drop(&mut self) {
            self.1.fetch_add(1, SeqCst);
            let _ = self.0.with(|current| drop(current.collect()));
        }
    }
    struct Panics(Arc<AtomicUsize>);
    impl Drop for Panics {
        fn drop(&mut self) {
            self.0.fetch_add(1, SeqCst);
            std::panic::panic_any("dropped");
        }
    }
    let (alone, _books) = undisturbed();
    let runtime = Arc::new(Runtime::<Graphs>::open(library()).unwrap());
    let dropped = Arc::new(AtomicUsize::new(0));
    for is_collected in [false, true] {
        let ended = runtime.with(|current| {
            let mut stream = stream(current);
            let states = || (Enters(Arc::clone(&runtime), Arc::clone(&dropped)), Panics(Arc::clone(&dropped)));
            let (enters, panics) = states();
            let graph = stream.capture(current, CaptureMode::Relaxed, io(current), |capture, _| {
                capture.launch_host_fn(enters, |_| ())?;
                capture.launch_host_fn(panics, |_| ())
            });
            let graph = stream.replay(current, graph.unwrap()).unwrap().wait(current).unwrap();
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| match is_collected {
                true => {
                    drop(graph);
                    drop(current.collect());
                }
                false => drop(graph.into_operands(current).unwrap()),
            }));
            drop(current.collect());
            ended
        });
        drop(ended.unwrap());
    }
    assert_eq!(dropped.load(SeqCst), 4, "each state once");
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

/// A state that owns its own graph, and one that owns another graph: no handle is left that would destroy them.
#[proves(GRAPH_05)]
#[test]
fn graphs_that_own_each_other_through_their_callbacks_end_with_their_runtime() {
    type Slot = Arc<Mutex<Option<CapturedGraph<Graphs, ()>>>>;
    let (alone, _books) = undisturbed();
    let runtime = Runtime::<Graphs>::open(library()).unwrap();
    let tied = runtime.with(|current| {
        let mut stream = stream(current);
        let slots: [Slot; 2] = Default::default();
        for (own, other) in [(0, 0), (1, 0), (0, 1)] {
            let state = Arc::clone(&slots[other]);
            let graph = stream.capture(current, CaptureMode::Relaxed, (), |capture, ()| {
                capture.launch_host_fn(state, |slot| assert!(slot.lock().is_ok()))
            });
            let graph = stream.replay(current, graph.unwrap()).unwrap().wait(current).unwrap();
            *slots[own].lock().unwrap() = Some(graph);
        }
        collect(current);
    });
    tied.unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(MEM_02, GRAPH_05)]
#[test]
fn memory_in_doubt_goes_into_no_build_and_no_graph_that_exists() {
    let alone = alone();
    inside(|current| {
        let (mut stream, other) = (stream(current), stream(current));
        let host = current.host_buffer::<f32>(LENGTH).unwrap();
        let graph = echo(current, &mut stream);
        fail("aclrtMemcpyAsync=after:507899,aclrtSynchronizeStreamWithTimeout=507899");
        let failed = other.copy_to_device(current, host, current.upload(&[0.0_f32; LENGTH]).unwrap()).unwrap_err();
        let (host, device) = failed.value;
        let refused = current.build_graph((host, device)).unwrap_err();
        assert!(matches!(refused.error, Error::InDoubt { .. }), "{}", refused.error);
        let refused = graph.with_operands(current, refused.value).unwrap_err();
        assert!(matches!(refused.error, Error::InDoubt { .. }), "{}", refused.error);
        let (graph, operands) = refused.value;
        let refused = stream.capture(current, CaptureMode::Relaxed, operands, |_, _| Ok(())).unwrap_err();
        assert!(matches!(refused.error, Error::InDoubt { .. }), "{}", refused.error);
        fail("");
        let graph = assert_echoes(current, &stream, graph, 2.0);
        other.synchronize(current).unwrap();
        // Also later: memory in doubt is only freed.
        let (host, device) = graph.with_operands(current, refused.value).unwrap_err().value.1;
        host.free(current).unwrap();
        device.free(current).unwrap();
    });
    alone.assert_nothing_lives();
}

/// Inputs of operators between replays: refused while a replay may be running, and by a library that fails.
#[proves(MEM_02, GRAPH_07)]
#[test]
fn inputs_of_an_operator_are_written_between_replays_only() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let graph =
            stream.capture(current, CaptureMode::Relaxed, operator(current, "Relu", 1.0), |capture, mut relu| {
                capture.launch(&mut relu)
            });
        let mut graph = graph.unwrap();
        let write = |graph: &mut CapturedGraph<_, Op<_>>, numbers: &[f32]| {
            graph.operands(current).and_then(|mut relu| relu.write(current, 0, numbers))
        };
        write(&mut graph, &[4.0; 2]).unwrap();
        assert!(matches!(write(&mut graph, &[4.0; 3]), Err(Error::LengthMismatch { expected: 2, found: 3, .. })));
        let mut access = graph.operands(current).unwrap();
        assert!(matches!(access.write(current, 0, &[4_i32; 2]), Err(Error::Input(_))));
        assert!(matches!(access.write(current, 1, &[4.0_f32; 2]), Err(Error::NoSuchInput { index: 1, count: 1 })));
        fail("aclrtMemcpy=507899");
        assert_eq!(write(&mut graph, &[5.0; 2]).unwrap_err().code().unwrap().number(), 507_899);
        fail("aclmdlRIExecuteAsync=after:507899,aclrtSynchronizeStreamWithTimeout=507899");
        let mut graph = stream.replay(current, graph).unwrap_err().value;
        assert!(matches!(write(&mut graph, &[6.0; 2]), Err(Error::InDoubt { .. })));
        fail("");
        stream.synchronize(current).unwrap();
        assert!(matches!(write(&mut graph, &[7.0; 2]), Err(Error::InDoubt { .. })), "it can only be taken apart");
        let (inputs, outputs) = graph.into_operands(current).unwrap().into_tensors(current).unwrap();
        assert_eq!(inputs.to_vec(current).unwrap(), [4.0; 2], "neither the failed nor the refused writes");
        assert_eq!(outputs.to_vec(current).unwrap(), [4.0; 2], "the replay took place");
    });
    alone.assert_nothing_lives();
}

/// A group, its graph and a replay, each outliving the other in a runtime that closes.
#[proves(GRAPH_07, GRAPH_09)]
#[test]
fn groups_of_a_closed_runtime_name_nothing_in_the_next_one() {
    let (alone, _books) = undisturbed();
    let first = Runtime::<Graphs>::open(library()).unwrap();
    let (graph, group) = first
        .with(|current| {
            let mut stream = stream(current);
            let (graph, group) = with_two(current, &mut stream);
            let updated = stream.update(current, graph, &group, |tasks, (_, mut second)| tasks.launch(&mut second));
            (stream.replay(current, updated.unwrap()).unwrap(), group)
        })
        .unwrap();
    first.close().unwrap();
    let second = Runtime::<Graphs>::open(library()).unwrap();
    let used = second.with(|current| {
        let mut stream = stream(current);
        assert!(stream.replay(current, graph).is_err(), "its context has ended");
        let (own, own_group) = with_two(current, &mut stream);
        let refused = stream.update(current, own, &group, |tasks, (_, mut second)| tasks.launch(&mut second));
        let refused = refused.unwrap_err();
        assert!(matches!(refused.error, Error::OtherCapture), "{}", refused.error);
        let updated =
            stream.update(current, refused.value, &own_group, |tasks, (_, mut second)| tasks.launch(&mut second));
        drop(updated.unwrap());
    });
    used.unwrap();
    second.close().unwrap();
    drop((group, first, second));
    drop(runtime::sweep(None));
    alone.assert_nothing_lives();
}

/// Operators of two branches that read parts of one tensor and feed a third on the first branch.
#[proves(GRAPH_06, MEM_02)]
#[test]
fn operators_of_two_branches_feed_a_third_one_behind_both() {
    let alone = alone();
    inside(|current| {
        let (mut first, mut side) = (stream(current), stream(current));
        let shared = current.upload(&[1.0_f32; 32]).unwrap().into_shared();
        let part = |at: usize| shared.slice(16 * at..16 * (at + 1)).unwrap().into_tensor(&[16]).unwrap();
        let relu = |at| operator::relu(current, part(at)).unwrap();
        let zeros = || current.zeros_tensor::<f32>(&[16]).unwrap();
        let sum = operator::add(current, zeros(), zeros()).unwrap();
        let operands = (relu(0), relu(1), sum, current.host_buffer::<f32>(16).unwrap());
        let graph =
            first.capture(current, CaptureMode::Relaxed, operands, |capture, (mut left, right, mut sum, mut out)| {
                let right = capture.fork(&mut side, |main, side| {
                    let mut right = side.adopt_after(main, right)?;
                    side.launch(&mut right)?;
                    main.launch(&mut left)?;
                    main.copy_output_to_input(&left, 0, &mut sum, 0)?;
                    Ok(main.adopt_after(side, right)?)
                })?;
                capture.copy_output_to_input(&right, 0, &mut sum, 1)?;
                capture.launch(&mut sum)?;
                capture.copy_from_output(&sum, 0, &mut out)
            });
        let mut graph = side.replay(current, graph.unwrap()).unwrap().wait(current).unwrap();
        assert_eq!(graph.operands(current).unwrap().3, [2.0; 16]);
        let refused = shared.try_unshare(current).unwrap_err();
        drop(graph.into_operands(current).unwrap());
        collect(current);
        assert_lives!(host_blocks, 0);
        refused.value.try_unshare(current).unwrap().free(current).unwrap();
    });
    alone.assert_nothing_lives();
}
