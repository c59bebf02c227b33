//! Graphs that are built task by task.

use super::groups::{BEFORE, operator};
use super::*;
use crate::common::{assert_lives, c_library, library, library_at};
use crate::with_device;
use ascendcl::capture::{BuildMain, Capture, Captured, GraphBuild};
use ascendcl::{Acl, Recovered, Runtime, Thread};
use ascendcl_macros::proves;
use ascendcl_sim::{Calls, Fault, Plan};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

fn there<'g, C: Brand>(
    tasks: &mut Capture<'g, C, BuildMain<'g>>,
    input: &Captured<'g, HostBuffer<C, f32>, BuildMain<'g>>,
    device: &mut Captured<'g, DeviceBuffer<C, f32>, BuildMain<'g>>,
) -> Result<(), Error> {
    tasks.copy_to_device(input, device)
}

/// There and back, without the end.
fn begun<C: Brand>(current: &Current<C>) -> GraphBuild<C, Io<C>> {
    let mut build = current.build_graph(io(current)).unwrap();
    build.add(current, |tasks, (input, mut device, _)| there(tasks, &input, &mut device)).unwrap();
    build.add(current, |tasks, (_, device, mut output)| tasks.copy_to_host(&device, &mut output)).unwrap();
    build
}

ascendcl::names!(Vision);

/// Nothing of any graph is left in the library.
#[track_caller]
fn assert_no_graph_is_left(streams: usize) {
    let live = control::live();
    assert_eq!((live.streams, live.device_blocks, live.host_blocks), (streams, 0, 0));
}

#[proves(GRAPH_08, STREAM_13)]
#[test]
fn tasks_of_a_build_run_in_their_order_at_each_replay_and_not_before() {
    let alone = alone();
    inside(|current| {
        let (first, second) = (stream(current), stream(current));
        let mut build = begun(current);
        build
            .add(current, |tasks, (input, mut device, _)| {
                // The program may use its own streams between two tasks.
                first.synchronize(current)?;
                there(tasks, &input, &mut device)?;
                tasks.set_bytes(&mut device, 0)
            })
            .unwrap();
        current.synchronize().unwrap();
        let mut graph = build.end(current).unwrap();
        assert_eq!(graph.operands(current).unwrap().2, [0.0; LENGTH], "nothing has run");
        let kinds: Vec<_> = graph.topology().tasks.iter().map(|task| task.kind.to_string()).collect();
        assert_eq!(kinds, ["copy", "copy", "copy", "set"]);
        graph = assert_echoes(current, &first, graph, 3.0);
        let device = graph.operands(current).unwrap().1.to_vec(current).unwrap();
        assert_eq!(device, [0.0; LENGTH], "the set is behind the copies");
        graph = assert_echoes(current, &second, graph, 4.0);
        let (input, ..) = graph.into_operands(current).unwrap();
        assert_eq!(input.slice(current).unwrap()[0], 4.0);
        first.synchronize(current).unwrap();
        assert_lives!(streams, 2, "the stream of the build went with the graph");
    });
    alone.assert_nothing_lives();
}

#[test]
fn models_operators_and_callbacks_are_built_too() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    let alone = alone();
    inside(|current| {
        let stream = stream(current);
        let model = current.load_model(data("digits.onnx")).unwrap();
        let model = model.bind(current, &[&[1, 64]], &[&[1, 10]]).unwrap();
        let mut images = current.host_buffer::<f32>(64).unwrap();
        images.slice_mut(current).unwrap().fill(1.0);
        let operands = (images, model, current.host_buffer::<f32>(10).unwrap(), operator(current, "Relu", 2.0));
        let mut build = current.build_graph(operands).unwrap();
        let early =
            build.add(current, |tasks, (_, model, mut scores, _)| tasks.copy_from_output(&model, 0, &mut scores));
        assert!(matches!(early, Err(Error::NotExecuted)), "{early:?}");
        let operands = build.into_operands(current).unwrap();
        let mut build = current.build_graph(operands).unwrap();
        build
            .add(current, |tasks, (images, mut model, ..)| {
                tasks.copy_to_input(&images, &mut model, 0)?;
                tasks.execute(&mut model)
            })
            .unwrap();
        let called = Arc::new(AtomicUsize::new(0));
        let state = Arc::clone(&called);
        build
            .add(current, |tasks, (_, model, mut scores, mut operator)| {
                tasks.copy_from_output(&model, 0, &mut scores)?;
                tasks.launch(&mut operator)?;
                tasks.launch_host_fn(state, |called| {
                    called.fetch_add(1, SeqCst);
                })
            })
            .unwrap();
        let graph = build.end(current).unwrap();
        let mut graph = stream.replay(current, graph).unwrap().wait(current).unwrap();
        let (_, _, scores, operator) = graph.operands(current).unwrap();
        assert!(scores.iter().any(|score| *score != 0.0), "{scores:?}");
        assert_eq!(operator.tensors().1.to_vec(current).unwrap(), [2.0; 2]);
        assert_eq!(called.load(SeqCst), 1);
        drop(graph.into_operands(current).unwrap());
        assert_eq!(Arc::strong_count(&called), 1, "the state went with the graph");
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_08)]
#[test]
fn builds_that_are_dropped_forgotten_or_leaked_are_taken_down() {
    let alone = alone();
    inside(|current| {
        drop(begun(current));
        drop(current.build_graph(()).unwrap().end(current).unwrap());
        collect(current);
        assert_no_graph_is_left(0);
        mem::forget(begun(current));
        let stream = stream(current);
        let graph = begun(current).end(current).unwrap();
        mem::forget(stream.replay(current, graph).unwrap());
        let leaked: &mut _ = Box::leak(Box::new(begun(current)));
        leaked.add(current, |tasks, (_, mut device, _)| tasks.set_bytes(&mut device, 1)).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_08)]
#[test]
fn a_program_that_fails_or_panics_breaks_the_build_and_the_operands_come_back() {
    let alone = alone();
    inside(|current| {
        let mut failed = begun(current);
        let added = failed.add(current, |_, _| Err(Error::NotExecuted));
        assert!(matches!(added, Err(Error::NotExecuted)), "{added:?}");
        let mut panicked = begun(current);
        let panic = catch_unwind(AssertUnwindSafe(|| panicked.add(current, |_, _| std::panic::panic_any("enough"))));
        assert_eq!(panic.unwrap_err().downcast_ref(), Some(&"enough"));
        let mut ignored = begun(current);
        fail("aclrtMemcpyAsync=507899");
        let added = ignored.add(current, |tasks, (input, mut device, _)| {
            assert!(there(tasks, &input, &mut device).is_err());
            Ok(())
        });
        added.unwrap();
        fail("");
        for mut build in [failed, panicked, ignored] {
            let added = build.add(current, |_, _| unreachable!("it takes no more tasks"));
            assert!(matches!(added, Err(Error::CaptureBroken { .. })), "{added:?}");
            let refused = build.end(current).unwrap_err();
            assert!(matches!(refused.error, Error::CaptureBroken { .. }), "{}", refused.error);
            drop(refused.value.into_operands(current).unwrap());
        }
        collect(current);
        assert_no_graph_is_left(0);
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_08)]
#[test]
fn each_call_that_fails_leaves_what_can_be_taken_down() {
    let alone = alone();
    inside(|current| {
        for call in ["aclmdlRIBuildBegin", "aclrtCreateStreamWithConfig", "aclmdlRIBindStream"] {
            fail(&format!("{call}=507899"));
            let refused = current.build_graph(io(current)).unwrap_err();
            assert_eq!(refused.error.code().unwrap().number(), 507_899, "{call}");
            fail("");
            drop(refused.value);
            collect(current);
            assert_no_graph_is_left(0);
        }
        for call in ["aclmdlRIEndTask", "aclmdlRIBuildEnd", "aclmdlRIEndTask=after:507899,aclmdlRIBuildEnd"] {
            let build = begun(current);
            fail(&format!("{call}=507899"));
            let refused = build.end(current).unwrap_err();
            fail("");
            let mut build = refused.value;
            let added = build.add(current, |_, _| unreachable!("it takes no more tasks"));
            assert!(matches!(added, Err(Error::CaptureBroken { .. })), "{call}: {added:?}");
            drop(build.into_operands(current).unwrap());
            collect(current);
            assert_no_graph_is_left(0);
        }
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_05, GRAPH_08)]
#[test]
fn a_build_that_the_library_refuses_to_end_keeps_what_it_uses() {
    let alone = alone();
    inside(|current| {
        for call in ["aclmdlRIUnbindStream", "aclmdlRIDestroy", "aclrtDestroyStream"] {
            for is_complete in [false, true] {
                fail(&format!("{call}=507899"));
                if is_complete {
                    let refused = begun(current).end(current).unwrap().into_operands(current).unwrap_err();
                    drop(refused.value);
                } else {
                    let mut build = begun(current).into_operands(current).unwrap_err().value;
                    // It is half taken down.
                    let added = build.add(current, |_, _| unreachable!("it takes no more tasks"));
                    assert!(matches!(added, Err(Error::CaptureBroken { .. })), "{call}: {added:?}");
                    drop(build);
                }
                drop(current.collect());
                assert_lives!(host_blocks, 2, "{call}: the graph uses them");
                fail("");
                collect(current);
                assert_no_graph_is_left(0);
            }
        }
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_07, GRAPH_08)]
#[test]
fn a_built_graph_is_not_destroyed_while_it_runs() {
    use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
    static GO_ON: AtomicBool = AtomicBool::new(false);
    let alone = alone();
    inside(|current| {
        let stream = stream(current);
        let mut build = current.build_graph(io(current)).unwrap();
        build
            .add(current, |tasks, (input, mut device, _)| {
                tasks.launch_host_fn((), |()| {
                    while !GO_ON.load(SeqCst) {
                        std::thread::yield_now();
                    }
                })?;
                there(tasks, &input, &mut device)
            })
            .unwrap();
        let graph = build.end(current).unwrap();
        drop(stream.replay(current, graph).unwrap());
        collect(current);
        assert_lives!(host_blocks, 2, "the replay reads one");
        GO_ON.store(true, SeqCst);
        stream.synchronize(current).unwrap();
        collect(current);
        assert_no_graph_is_left(1);
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_library_that_cannot_build_says_so_before_anything_has_changed() {
    let _undisturbed = undisturbed();
    let begins = "aclError aclmdlRIBuildBegin(handle *graph, unsigned flag) { __builtin_trap(); }";
    let others = [
        "aclmdlRIBindStream(handle graph, handle stream, unsigned flag)",
        "aclmdlRIEndTask(handle graph, handle stream)",
        "aclmdlRIBuildEnd(handle graph, void *reserve)",
        "aclrtCreateStreamWithConfig(handle *stream, unsigned priority, unsigned flag)",
    ];
    let others: String = others.iter().map(|function| format!("aclError {function} {{ return 0; }}\n")).collect();
    let source = [include_str!("../../null/library.c"), begins, &others].join("\n");
    let library = library_at(c_library("library-without-unbinding", &source));
    with_device(Acl::init(library).unwrap(), |device, thread| {
        let refused = device.with_current(thread, |current| {
            let stream = stream(current);
            let refused = current.build_graph(io(current)).unwrap_err();
            let (input, device, _) = refused.value;
            drop(stream.copy_to_device(current, input, device).unwrap().wait(current).unwrap());
            refused.error
        });
        let refused = refused.unwrap();
        let Error::MissingFunction(missing) = &refused else { panic!("{refused}") };
        assert_eq!(missing.symbol, "aclmdlRIUnbindStream");
    });
}

#[test]
fn ordinary_memory_comes_back_and_is_not_built_in() {
    let alone = alone();
    inside(|current| {
        let ordinary = current.pageable_buffer(vec![1.0_f32; 4]);
        let refused = current.build_graph(ordinary).unwrap_err();
        assert!(matches!(refused.error, Error::NotPinned), "{}", refused.error);
        assert_eq!(refused.value.slice(current).unwrap(), [1.0; 4]);
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_08)]
#[test]
fn a_build_moves_to_another_thread_and_ends_there() {
    let alone = alone();
    in_context(|context, thread| {
        let mut build = context.enter(thread, |current| begun(current)).unwrap();
        let graph = std::thread::scope(|scope| {
            let other = scope.spawn(move || {
                let ended = context.enter(&mut Thread::new().unwrap(), |current| {
                    build.add(current, |tasks, (_, mut device, _)| tasks.set_bytes(&mut device, 0)).unwrap();
                    build.end(current).unwrap()
                });
                ended.unwrap()
            });
            other.join().unwrap()
        });
        let replayed = context.enter(thread, |current| {
            let stream = stream(current);
            drop(assert_echoes(current, &stream, graph, 2.0).into_operands(current).unwrap());
        });
        replayed.unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_08)]
#[test]
fn a_build_of_another_runtime_of_the_same_name_is_refused_and_stays_whole() {
    let (alone, _books) = undisturbed();
    let open = || Runtime::<Vision>::open(library()).unwrap();
    let (first, second) = (open(), open());
    let (build, operands) = first.with(|current| (begun(current), io(current))).unwrap();
    let refused = second.with(|current| {
        let refused = current.build_graph(operands).unwrap_err();
        assert!(matches!(refused.error, Error::WrongContext { .. }), "{}", refused.error);
        let mut build = build;
        let added = build.add(current, |_, _| unreachable!("it is the other runtime's"));
        assert!(matches!(added, Err(Error::WrongContext { .. })), "{added:?}");
        let refused = build.end(current).unwrap_err();
        assert!(matches!(refused.error, Error::WrongContext { .. }), "{}", refused.error);
        let refused = refused.value.into_operands(current).unwrap_err();
        assert!(matches!(refused.error, Error::WrongContext { .. }), "{}", refused.error);
        refused.value
    });
    let build = refused.unwrap();
    let graph = first.with(|current| build.end(current).unwrap()).unwrap();
    let replayed = first.with(|current| drop(assert_echoes(current, &stream(current), graph, 7.0)));
    replayed.unwrap();
    for runtime in [first, second] {
        runtime.close().unwrap();
    }
    alone.assert_nothing_lives();
}

#[proves(GRAPH_08)]
#[test]
fn builds_and_built_graphs_end_with_a_device_that_is_recovered_by_force() {
    let (alone, _books) = undisturbed();
    let (acl, mut thread) = (Acl::init(library()).unwrap(), Thread::new().unwrap());
    let device = acl.device(&mut thread, 0).unwrap().with_teardown_timeout(Duration::from_millis(50));
    let scope = device.with_current(&mut thread, |current| {
        let stream = stream(current);
        mem::forget(begun(current));
        let graph = begun(current).end(current).unwrap();
        drop(stream.replay(current, graph).unwrap());
        // Nothing before the reset can wait, and nothing can be aborted.
        let waits = |call| (Calls::of("aclrtSynchronizeStreamWithTimeout").nth(call), Fault::Fails(507_899));
        let plan = (1..=4).map(waits).fold(Plan::new(), |plan, (calls, fault)| plan.at(calls, fault));
        let aborts = ["aclrtStreamAbort", "aclrtDeviceTaskAbort"].map(Calls::of);
        let plan = aborts.into_iter().fold(plan, |plan, call| plan.at(call, Fault::Fails(207_000)));
        crate::begin(plan);
    });
    scope.unwrap_err();
    let recovered = device.recover(&mut thread, Duration::from_secs(1)).unwrap();
    let Recovered::Reset { lost } = recovered else { panic!("it was not reset") };
    assert_eq!(lost, [""; 0]);
    crate::nothing_fails();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[test]
fn an_update_of_a_built_graph_is_refused() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let (captured, group) = super::groups::with_two(current, &mut stream);
        let operands = (operator(current, "Relu", 1.0), operator(current, "Relu", 2.0));
        let mut build = current.build_graph(operands).unwrap();
        build.add(current, |tasks, (mut first, _)| tasks.launch(&mut first)).unwrap();
        let built = build.end(current).unwrap();
        let refused = stream.update(current, built, &group, |tasks, (_, mut second)| tasks.launch(&mut second));
        let refused = refused.unwrap_err();
        assert!(matches!(refused.error, Error::OtherCapture), "{}", refused.error);
        let mut graph = stream.replay(current, refused.value).unwrap().wait(current).unwrap();
        assert_eq!(super::groups::outputs(current, &mut graph), [1.0, BEFORE]);
        drop(captured);
    });
    alone.assert_nothing_lives();
}
