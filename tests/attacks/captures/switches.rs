//! Built graphs whose tasks run or not, as a number in device memory says.

use super::groups::{Op, operator};
use super::*;
use crate::common::{assert_lives, c_library, library, library_at};
use crate::with_device;
use ascendcl::capture::{GraphBuild, TaskKind};
use ascendcl::{Acl, Runtime};
use ascendcl_macros::proves;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};

type Chosen<C> = (HostBuffer<C, u32>, DeviceBuffer<C, u32>, DeviceBuffer<C, u8>);

fn chosen<C: Brand>(current: &Current<C>) -> Chosen<C> {
    let index = current.upload(&[0_u32; 2]).unwrap();
    (current.host_buffer(2).unwrap(), index, current.upload(&[0_u8; 4]).unwrap())
}

/// A build in which each replay copies the number in, and sets the bytes to one more than its case.
fn build<C: Brand>(current: &Current<C>, cases: usize) -> GraphBuild<C, Chosen<C>> {
    let mut build = current.build_graph(chosen(current)).unwrap();
    let added = build.add(current, |tasks, (input, mut index, mut bytes)| {
        tasks.copy_to_device(&input, &mut index)?;
        tasks.set_bytes(&mut bytes, 0)?;
        tasks.switch(&index, cases, |tasks, case| tasks.set_bytes(&mut bytes, case as u8 + 1))
    });
    added.unwrap();
    build
}

/// What the bytes are after a replay with this number.
fn bytes_at<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C, DefaultAllocator>,
    graph: &mut Option<CapturedGraph<C, Chosen<C>>>,
    number: u32,
) -> u8 {
    let mut own = graph.take().unwrap();
    own.operands(current).unwrap().0.fill(number);
    let mut own = stream.replay(current, own).unwrap().wait(current).unwrap();
    let byte = own.operands(current).unwrap().2.to_vec(current).unwrap()[0];
    *graph = Some(own);
    byte
}

#[proves(STREAM_20, GRAPH_08)]
#[test]
fn each_replay_runs_the_case_whose_number_it_finds_and_no_other() {
    let alone = alone();
    inside(|current| {
        let stream = stream(current);
        let mut graph = Some(build(current, 3).end(current).unwrap());
        let kinds = |graph: &CapturedGraph<_, _>| -> Vec<_> {
            graph.topology().tasks.iter().map(|task| (task.kind, task.after.clone())).collect()
        };
        let expected = [
            (TaskKind::CopyMemory, vec![]),
            (TaskKind::SetMemory, vec![0]),
            (TaskKind::Switch, vec![1]),
            (TaskKind::Case, vec![2]),
            (TaskKind::SetMemory, vec![3]),
            (TaskKind::Case, vec![2]),
            (TaskKind::SetMemory, vec![5]),
            (TaskKind::Case, vec![2]),
            (TaskKind::SetMemory, vec![7]),
            (TaskKind::End, vec![4, 6, 8]),
        ];
        let own = graph.as_ref().unwrap();
        assert_eq!(kinds(own), expected);
        assert!(own.to_mermaid().contains("t2 -- case 2 --> t7"), "{}", own.to_mermaid());
        for (number, byte) in [(0, 1), (1, 2), (2, 3), (3, 3), (u32::MAX, 3), (0, 1)] {
            assert_eq!(bytes_at(current, &stream, &mut graph, number), byte, "{number}");
        }
        drop(graph.unwrap().into_operands(current).unwrap());
        assert_lives!(labels, 0, "they went with the graph");
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_20)]
#[test]
fn switches_stand_in_cases_of_switches_and_one_behind_the_other() {
    let alone = alone();
    inside(|current| {
        let stream = stream(current);
        let operands = (current.upload(&[0_u32]).unwrap(), current.upload(&[0_i32]).unwrap(), chosen(current).2);
        let mut build = current.build_graph(operands).unwrap();
        let added = build.add(current, |tasks, (outer, inner, mut bytes)| {
            tasks.set_bytes(&mut bytes, 9)?;
            for _ in 0..2 {
                tasks.switch(&outer, 2, |tasks, row| {
                    tasks.switch(&inner, 2, |tasks, column| tasks.set_bytes(&mut bytes, (2 * row + column) as u8))
                })?;
            }
            // A switch without cases runs nothing, and one with a single case runs it always.
            tasks.switch(&outer, 0, |_, _| unreachable!("there is no case"))?;
            tasks.switch(&outer, 1, |_, case| {
                assert_eq!(case, 0);
                Ok(())
            })
        });
        added.unwrap();
        let mut graph = build.end(current).unwrap();
        for (row, column, byte) in [(0, 0, 0), (0, 1, 1), (1, 0, 2), (1, -1, 3)] {
            let (outer, inner, _) = &mut graph.operands(current).unwrap();
            outer.copy_from(current, &[row]).unwrap();
            inner.copy_from(current, &[column]).unwrap();
            graph = stream.replay(current, graph).unwrap().wait(current).unwrap();
            assert_eq!(graph.operands(current).unwrap().2.to_vec(current).unwrap(), [byte; 4], "{row} {column}");
        }
    });
    alone.assert_nothing_lives();
}

/// An output is read behind a switch only if every case writes it.
#[proves(MODEL_17, MEM_07)]
#[test]
fn an_output_that_one_case_does_not_write_is_not_read_behind_the_switch() {
    let alone = alone();
    inside(|current| {
        let stream = stream(current);
        for in_every_case in [false, true] {
            let model = current.load_model(data("digits.onnx")).unwrap();
            let model = model.bind(current, &[&[1, 64]], &[&[1, 10]]).unwrap();
            let scores = current.host_buffer::<f32>(10).unwrap();
            let index = current.upload(&[1_u32]).unwrap();
            let mut build = current.build_graph((index, model, scores)).unwrap();
            let added =
                build.add(current, |tasks, (index, mut model, mut scores)| {
                    tasks.switch(&index, 2, |tasks, case| {
                        if case == 1 || in_every_case { tasks.execute(&mut model) } else { Ok(()) }
                    })?;
                    let read = tasks.copy_from_output(&model, 0, &mut scores);
                    match in_every_case {
                        true => read,
                        false => {
                            assert!(matches!(read, Err(Error::NotExecuted)), "{read:?}");
                            Ok(())
                        }
                    }
                });
            added.unwrap();
            let mut graph = build.end(current).unwrap();
            graph.operands(current).unwrap().1.write(current, 0, &[1.0_f32; 64]).unwrap();
            let mut graph = stream.replay(current, graph).unwrap().wait(current).unwrap();
            if in_every_case {
                assert!(graph.operands(current).unwrap().2.iter().any(|score| *score != 0.0));
            }
            let (_, model, _) = graph.into_operands(current).unwrap();
            let read = model.read::<f32>(current, 0);
            assert_eq!(read.is_ok(), in_every_case, "a replay may have left it out: {read:?}");
        }
        // The same of operators.
        let x = current.upload_tensor(&[2], &[1.0_f32; 2]).unwrap();
        let relu = ascendcl::operator::relu(current, x).unwrap();
        let operands = (current.upload(&[1_u32]).unwrap(), relu, current.host_buffer::<f32>(2).unwrap());
        let mut build = current.build_graph(operands).unwrap();
        let added = build.add(current, |tasks, (index, mut relu, mut output)| {
            tasks.switch(&index, 2, |tasks, case| if case == 0 { tasks.launch(&mut relu) } else { Ok(()) })?;
            tasks.copy_from_output(&relu, 0, &mut output)
        });
        assert!(matches!(added, Err(Error::NotExecuted)), "{added:?}");
        drop(build);
    });
    alone.assert_nothing_lives();
}

/// A case that fails leaves a switch without its end. No graph may come of that, whatever the program makes of it.
#[proves(GRAPH_08, STREAM_20)]
#[test]
fn half_a_switch_never_becomes_a_graph() {
    let alone = alone();
    inside(|current| {
        for is_panic in [false, true] {
            let mut build = current.build_graph(chosen(current)).unwrap();
            let added = build.add(current, |tasks, (_, index, mut bytes)| {
                let tried = catch_unwind(AssertUnwindSafe(|| {
                    tasks.switch(&index, 3, |tasks, case| match (case, is_panic) {
                        (1, true) => std::panic::panic_any("enough"),
                        (1, false) => Err(Error::NotExecuted),
                        _ => tasks.set_bytes(&mut bytes, 1),
                    })
                }));
                assert!(!matches!(tried, Ok(Ok(()))));
                // The program goes on as if nothing had been.
                tasks.set_bytes(&mut bytes, 2)
            });
            added.unwrap();
            let refused = build.end(current).unwrap_err();
            assert!(matches!(refused.error, Error::CaptureBroken { .. }), "{}", refused.error);
            drop(refused.value.into_operands(current).unwrap());
            assert_lives!(labels, 0, "they went with the build");
        }
        let mut build = current.build_graph((current.upload::<u32>(&[]).unwrap(), chosen(current).2)).unwrap();
        let added = build.add(current, |tasks, (index, _)| tasks.switch(&index, 2, |_, _| Ok(())));
        assert!(matches!(added, Err(Error::TooShort { need: 4, .. })), "{added:?}");
        drop(build.into_operands(current).unwrap());
    });
    alone.assert_nothing_lives();
}

const CALLS: [&str; 6] = [
    "aclrtCreateLabel",
    "aclrtCreateLabel#3",
    "aclrtCreateLabelList",
    "aclrtCreateLabelList#2",
    "aclrtSwitchLabelByIndex",
    "aclrtSetLabel#2",
];

#[proves(STREAM_20)]
#[test]
fn each_call_of_a_switch_that_fails_breaks_the_build_and_nothing_is_left() {
    let alone = alone();
    inside(|current| {
        for call in CALLS {
            let mut build = current.build_graph(chosen(current)).unwrap();
            fail(&format!("{call}=507899"));
            let added = build.add(current, |tasks, (_, index, mut bytes)| {
                tasks.switch(&index, 3, |tasks, case| tasks.set_bytes(&mut bytes, case as u8))
            });
            fail("");
            assert_eq!(added.unwrap_err().code().unwrap().number(), 507_899, "{call}");
            let refused = build.end(current).unwrap_err();
            assert!(matches!(refused.error, Error::CaptureBroken { .. }), "{call}: {}", refused.error);
            drop(refused.value.into_operands(current).unwrap());
            assert_lives!(labels, 0, "{call}");
        }
    });
    alone.assert_nothing_lives();
}

/// Ends that are refused, alone and in pairs, also when they took place all the same.
#[proves(STREAM_20, GRAPH_05)]
#[test]
fn labels_that_the_library_does_not_destroy_stay_with_the_graph_and_so_does_what_it_uses() {
    let alone = alone();
    inside(|current| {
        let ends = ["aclmdlRIDestroy", "aclrtDestroyLabelList", "aclrtDestroyLabel"];
        for first in ends {
            for second in ends {
                for how in ["", "after:"] {
                    let graph = build(current, 2).end(current).unwrap();
                    fail(&format!("{first}#1={how}507899,{second}#2={how}507899"));
                    let mut graph = Some(graph);
                    for _ in 0..6 {
                        let Some(own) = graph.take() else { break };
                        match own.into_operands(current) {
                            Ok(operands) => {
                                drop(operands);
                                collect(current);
                            }
                            Err(refused) => graph = Some(refused.value),
                        }
                    }
                    fail("");
                    assert!(graph.is_none(), "{first} {second} {how}");
                    assert_lives!(labels, 0, "{first} {second} {how}");
                    assert_lives!(host_blocks, 0, "{first} {second} {how}");
                }
            }
        }
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_20)]
#[test]
fn a_switch_with_more_cases_than_the_process_has_labels_is_refused_and_gives_them_back() {
    let alone = alone();
    inside(|current| {
        let mut many = current.build_graph(chosen(current)).unwrap();
        let added =
            many.add(current, |tasks, (_, index, _)| tasks.switch(&index, usize::MAX, |_, _| unreachable!("none")));
        assert!(matches!(added, Err(Error::Vendor(_))), "{added:?}");
        assert_lives!(labels, 65_535);
        let mut none = current.build_graph(chosen(current)).unwrap();
        let added = none.add(current, |tasks, (_, index, _)| tasks.switch(&index, 1, |_, _| Ok(())));
        assert!(matches!(added, Err(Error::Vendor(_))), "{added:?}");
        drop((many, none));
        collect(current);
        assert_lives!(labels, 0);
        let mut graph = Some(build(current, 2).end(current).unwrap());
        assert_eq!(bytes_at(current, &stream(current), &mut graph, 1), 2);
    });
    alone.assert_nothing_lives();
}

/// Dropped, forgotten, leaked: with a replay in flight, and before there is a graph.
#[proves(STREAM_20, GRAPH_07)]
#[test]
fn labels_stay_until_no_replay_uses_them() {
    use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
    static GO_ON: AtomicBool = AtomicBool::new(false);
    let alone = alone();
    inside(|current| {
        let stream = stream(current);
        mem::forget(build(current, 2));
        let mut waiting = build(current, 2);
        let added = waiting.add(current, |tasks, (_, index, _)| {
            tasks.launch_host_fn((), |()| {
                while !GO_ON.load(SeqCst) {
                    std::thread::yield_now();
                }
            })?;
            tasks.switch(&index, 2, |_, _| Ok(()))
        });
        added.unwrap();
        drop(stream.replay(current, waiting.end(current).unwrap()).unwrap());
        collect(current);
        assert_lives!(labels, 3 * (3 + 2), "three switches of two cases: the replay reads the lists");
        GO_ON.store(true, SeqCst);
        stream.synchronize(current).unwrap();
        collect(current);
        assert_lives!(labels, 3 + 2, "those of the build that was forgotten");
        let leaked: &mut _ = Box::leak(Box::new(build(current, 2).end(current).unwrap()));
        leaked.operands(current).unwrap().0.fill(1);
    });
    alone.assert_nothing_lives();
}

ascendcl::names!(Switching);

#[proves(STREAM_20, CTX_06)]
#[test]
fn a_runtime_that_closes_with_a_replay_of_a_switch_in_flight_takes_it_down() {
    let (alone, _books) = undisturbed();
    let runtime = Runtime::<Switching>::open(library()).unwrap();
    let graph = runtime.with(|current| {
        let stream = stream(current);
        let graph = build(current, 4).end(current).unwrap();
        let replay = stream.replay(current, graph).unwrap();
        stream.replay(current, replay).unwrap()
    });
    let graph = graph.unwrap();
    runtime.close().unwrap();
    drop(graph);
    alone.assert_nothing_lives();
}

#[test]
fn a_library_without_labels_says_so_before_anything_has_changed() {
    let _undisturbed = undisturbed();
    let functions = [
        "aclmdlRIBuildBegin(handle *graph, unsigned flag) { *graph = (handle)64; return 0; }",
        "aclmdlRIBindStream(handle graph, handle stream, unsigned flag) { return 0; }",
        "aclmdlRIUnbindStream(handle graph, handle stream) { return 0; }",
        "aclmdlRIEndTask(handle graph, handle stream) { return 0; }",
        "aclmdlRIBuildEnd(handle graph, void *reserve) { return 0; }",
        "aclrtCreateStreamWithConfig(handle *stream, unsigned priority, unsigned flag) { *stream = (handle)128; return 0; }",
        "aclrtCreateLabel(handle *label) { __builtin_trap(); }",
        "aclrtCreateLabelList(handle *labels, unsigned long count, handle *list) { __builtin_trap(); }",
        "aclrtSetLabel(handle label, handle stream) { __builtin_trap(); }",
        "aclrtSwitchLabelByIndex(void *index, unsigned count, handle list, handle stream) { __builtin_trap(); }",
        "aclrtDestroyLabelList(handle list) { __builtin_trap(); }",
    ];
    let functions: String = functions.iter().map(|function| format!("aclError {function}\n")).collect();
    let source = [include_str!("../../null/library.c"), &functions].join("\n");
    let library = library_at(c_library("library-without-labels", &source));
    with_device(Acl::init(library).unwrap(), |device, thread| {
        let refused = device.with_current(thread, |current| {
            let mut build = current.build_graph(chosen(current)).unwrap();
            let added = build.add(current, |tasks, (_, index, _)| tasks.switch(&index, 2, |_, _| Ok(())));
            drop(build.into_operands(current).unwrap());
            added.unwrap_err()
        });
        let refused = refused.unwrap();
        let Error::MissingFunction(missing) = &refused else { panic!("{refused}") };
        assert_eq!(missing.symbol, "aclrtDestroyLabel");
    });
}

/// The operators of a built graph that only some replays run.
#[test]
fn a_case_launches_operators_and_an_operator_says_which_case() {
    let alone = alone();
    inside(|current| {
        let stream = stream(current);
        let operands: (_, Op<_>, Op<_>) =
            (current.upload(&[0_u32]).unwrap(), operator(current, "Relu", 1.0), operator(current, "Relu", 2.0));
        let mut build = current.build_graph(operands).unwrap();
        let added = build.add(current, |tasks, (index, mut first, mut second)| {
            tasks.switch(&index, 2, |tasks, case| match case {
                0 => tasks.launch(&mut first),
                _ => tasks.launch(&mut second),
            })
        });
        added.unwrap();
        let mut graph = build.end(current).unwrap();
        for (number, expected) in [(1, [9.0, 2.0]), (0, [1.0, 2.0])] {
            graph.operands(current).unwrap().0.copy_from(current, &[number]).unwrap();
            graph = stream.replay(current, graph).unwrap().wait(current).unwrap();
            let (_, first, second) = graph.operands(current).unwrap();
            assert_eq!([&first, &second].map(|op| op.tensors().1.to_vec(current).unwrap()[0]), expected);
        }
    });
    alone.assert_nothing_lives();
}
