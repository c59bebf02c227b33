//! Builds on several streams of their own.

use super::groups::operator;
use super::*;
use crate::common::plans::try_next;
use crate::common::{assert_lives, library};
use ascendcl::{Runtime, Thread};
use ascendcl_macros::proves;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::time::Duration;

ascendcl::names!(Branched);

type Two<C> = (DeviceBuffer<C, u8>, DeviceBuffer<C, u8>);

fn two<C: Brand>(current: &Current<C>) -> Two<C> {
    (current.upload(&[0_u8; 64]).unwrap(), current.upload(&[0_u8; 64]).unwrap())
}

/// The first bytes of both after one replay, before which both are zero.
fn replayed<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C, DefaultAllocator>,
    graph: &mut Option<CapturedGraph<C, Two<C>>>,
) -> (u8, u8) {
    let mut own = graph.take().unwrap();
    own.operands(current).unwrap().0.copy_from(current, &[0; 64]).unwrap();
    own.operands(current).unwrap().1.copy_from(current, &[0; 64]).unwrap();
    let mut own = stream.replay(current, own).unwrap().wait(current).unwrap();
    let (first, second) = own.operands(current).unwrap();
    let bytes = (first.to_vec(current).unwrap()[0], second.to_vec(current).unwrap()[0]);
    *graph = Some(own);
    bytes
}

#[proves(EVENT_10, GRAPH_06, GRAPH_08)]
#[test]
fn branches_of_a_build_keep_their_order_in_each_replay() {
    let alone = alone();
    inside(|current| {
        let stream = stream(current);
        let mut build = current.build_graph(two(current)).unwrap();
        let added = build.add(current, |tasks, (mut first, second)| {
            tasks.set_bytes(&mut first, 1)?;
            let (first, second) = tasks.branch(|tasks, side| {
                // A branch within a branch, on a third stream.
                let (first, second) = side.branch(|side, third| {
                    let first = side.adopt_after(tasks, first)?;
                    let (first, mut second) = (third.adopt_after(side, first)?, third.adopt_after(tasks, second)?);
                    third.copy_on_device(&first, &mut second)?;
                    Ok((side.adopt_after(third, first)?, side.adopt_after(third, second)?))
                })?;
                let mut first = first;
                side.set_bytes(&mut first, 5)?;
                Ok((tasks.adopt_after(side, first)?, tasks.adopt_after(side, second)?))
            })?;
            // Behind the join; the streams are used again.
            let mut second = second;
            let mut first = tasks.branch(|tasks, side| {
                let mut first = side.adopt_after(tasks, first)?;
                side.set_bytes(&mut first, 6)?;
                tasks.adopt_after(side, first).map_err(|failed| failed.error)
            })?;
            tasks.copy_on_device(&second, &mut first)?;
            tasks.set_bytes(&mut second, 9)
        });
        added.unwrap();
        assert_lives!(streams, 4, "one of the program, and three of the build");
        let mut graph = Some(build.end(current).unwrap());
        // No handle names the events that order the branches: the graph keeps them.
        collect(current);
        assert_lives!(events, 6, "those of the graph");
        for _ in 0..20 {
            assert_eq!(replayed(current, &stream, &mut graph), (1, 9));
        }
        drop(graph.unwrap().into_operands(current).unwrap());
        assert_lives!(streams, 1, "those of the build are gone");
        collect(current);
        assert_lives!(events, 0, "and so are its events");
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_08)]
#[test]
fn later_steps_of_a_build_come_after_the_branches_of_earlier_ones() {
    let alone = alone();
    inside(|current| {
        let stream = stream(current);
        let (one, other) = (operator(current, "Relu", 3.0), operator(current, "Relu", 4.0));
        let mut build = current.build_graph((one, other)).unwrap();
        let added = build.add(current, |tasks, (one, _)| {
            tasks.branch(|tasks, side| {
                let mut one = side.adopt_after(tasks, one)?;
                side.launch(&mut one)
            })
        });
        added.unwrap();
        build
            .add(current, |tasks, (one, mut other)| {
                tasks.copy_output_to_input(&one, 0, &mut other, 0)?;
                tasks.branch(|tasks, side| {
                    let mut other = side.adopt_after(tasks, other)?;
                    side.launch(&mut other)
                })
            })
            .unwrap();
        let mut graph = build.end(current).unwrap();
        for _ in 0..3 {
            graph = stream.replay(current, graph).unwrap().wait(current).unwrap();
            let (_, other) = graph.operands(current).unwrap();
            assert_eq!(other.tensors().1.to_vec(current).unwrap(), [3.0; 2]);
        }
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_06, STREAM_20)]
#[test]
fn a_case_of_a_switch_has_no_branches_and_a_branch_has_switches() {
    let alone = alone();
    inside(|current| {
        let stream = stream(current);
        let operands = (current.upload(&[0_u32]).unwrap(), two(current));
        let mut build = current.build_graph(operands).unwrap();
        let added = build.add(current, |tasks, (index, (first, second))| {
            let mut kept = Some(first);
            tasks.switch(&index, 2, |tasks, _| {
                let refused = tasks.branch(|_, _| Ok(())).unwrap_err();
                assert!(matches!(refused, Error::InABody), "{refused}");
                Ok(())
            })?;
            tasks.branch(|tasks, side| {
                let index = side.adopt_after(tasks, index)?;
                let mut second = side.adopt_after(tasks, second)?;
                side.switch(&index, 2, |side, case| {
                    // Neither direction: the case may not run.
                    let refused = side.adopt_after(tasks, kept.take().unwrap()).unwrap_err();
                    assert!(matches!(refused.error, Error::InABody), "{}", refused.error);
                    kept = Some(refused.value);
                    side.set_bytes(&mut second, 10 + case as u8)
                })?;
                let mut first = side.adopt_after(tasks, kept.take().unwrap())?;
                side.set_bytes(&mut first, 3)
            })
        });
        added.unwrap();
        let mut graph = build.end(current).unwrap();
        for number in [0, 1, 0] {
            graph.operands(current).unwrap().0.copy_from(current, &[number]).unwrap();
            graph = stream.replay(current, graph).unwrap().wait(current).unwrap();
            let (_, (first, second)) = graph.operands(current).unwrap();
            assert_eq!(first.to_vec(current).unwrap()[0], 3);
            assert_eq!(second.to_vec(current).unwrap()[0], 10 + number as u8);
        }
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_08)]
#[test]
fn a_branch_that_fails_or_panics_breaks_the_build_and_its_operands_come_back() {
    let alone = alone();
    inside(|current| {
        for panics in [false, true] {
            let mut build = current.build_graph(two(current)).unwrap();
            let added = catch_unwind(AssertUnwindSafe(|| {
                build.add(current, |tasks, (_, second)| {
                    tasks.branch(|tasks, side| {
                        let mut second = side.adopt_after(tasks, second)?;
                        side.set_bytes(&mut second, 2)?;
                        if panics { panic_any(7) } else { Err::<(), _>(Error::NotExecuted) }
                    })
                })
            }));
            match panics {
                true => assert_eq!(added.unwrap_err().downcast_ref(), Some(&7)),
                false => assert!(matches!(added.unwrap(), Err(Error::NotExecuted))),
            }
            let refused = build.end(current).unwrap_err();
            assert!(matches!(refused.error, Error::CaptureBroken { .. }), "{}", refused.error);
            let (first, second) = refused.value.into_operands(current).unwrap();
            assert_eq!(second.to_vec(current).unwrap()[0], 0);
            drop(first);
            collect(current);
            assert_lives!(streams, 0, "panics: {panics}");
        }
    });
    alone.assert_nothing_lives();
}

fn built<C: Brand>(current: &Current<C>) -> Result<CapturedGraph<C, Two<C>>, Error> {
    let operands = (current.upload(&[0_u8; 64])?, current.upload(&[0_u8; 64])?);
    let mut build = current.build_graph(operands).map_err(|failed| failed.error)?;
    build.add(current, |tasks, (mut first, second)| {
        tasks.branch(|tasks, side| {
            let mut second = side.adopt_after(tasks, second)?;
            side.set_bytes(&mut second, 2)?;
            tasks.set_bytes(&mut first, 1)
        })
    })?;
    build.end(current).map_err(|failed| failed.error)
}

#[proves(GRAPH_05, GRAPH_08)]
#[test]
fn each_call_of_a_build_with_a_branch_that_fails_and_pairs_of_them_leave_nothing() {
    let calls = [
        ("aclmdlRIBuildBegin", 1),
        ("aclrtCreateStreamWithConfig", 2),
        ("aclmdlRIBindStream", 2),
        ("aclrtCreateEventWithFlag", 2),
        ("aclrtRecordEvent", 2),
        ("aclrtStreamWaitEvent", 2),
        ("aclrtResetEvent", 2),
        ("aclmdlRIEndTask", 1),
        ("aclmdlRIBuildEnd", 1),
        ("aclmdlRIUnbindStream", 2),
        ("aclmdlRIDestroy", 1),
        ("aclrtDestroyStream", 2),
    ];
    let single = calls.iter().flat_map(|(call, times)| (1..=*times).map(move |at| format!("{call}#{at}=507899")));
    let single: Vec<_> = single.collect();
    let pairs = single
        .iter()
        .enumerate()
        .flat_map(|(at, first)| single[at + 1..].iter().map(move |second| format!("{first},{second}")));
    let plans: Vec<_> = single.iter().cloned().chain(pairs).collect();
    let (alone, _books) = undisturbed();
    let mut idle = Vec::new();
    for plan in plans {
        let runtime = Runtime::<Branched>::open(library()).unwrap();
        let graph = runtime.with(|current| {
            try_next(&plan);
            let graph = built(current);
            let graph = graph.and_then(|graph| graph.into_operands(current).map_err(|failed| failed.error));
            if !try_next("") {
                idle.push(plan.clone());
            }
            graph
        });
        drop(graph.unwrap());
        runtime.with(|current| drop(current.collect())).unwrap();
        runtime.close().unwrap_or_else(|error| panic!("{plan}: {error}"));
        assert_eq!(control::live(), control::Live::default(), "{plan}");
    }
    assert_eq!(idle, [""; 0], "a plan of which nothing came tries nothing");
    alone.assert_nothing_lives();
}

#[proves(GRAPH_07, GRAPH_08)]
#[test]
fn builds_and_replays_that_are_forgotten_end_with_their_runtime_also_by_force() {
    let (alone, _books) = undisturbed();
    for is_forced in [false, true] {
        let runtime = Runtime::<Branched>::open(library()).unwrap();
        let left = runtime.with(|current| {
            let mut build = current.build_graph(two(current)).unwrap();
            build.add(current, |tasks, _| tasks.branch(|_, side| side.launch_host_fn(0, |_| ()))).unwrap();
            let stream = stream(current);
            (build, stream.replay(current, built(current).unwrap()).unwrap(), stream)
        });
        mem::forget(left.unwrap());
        match is_forced {
            false => runtime.close().unwrap(),
            true => assert_eq!(runtime.close_by_force(Duration::from_secs(20)).unwrap(), [""; 0]),
        }
        assert_eq!(control::live(), control::Live::default());
    }
    alone.assert_nothing_lives();
}

#[proves(GRAPH_08)]
#[test]
fn threads_build_with_branches_in_one_context() {
    let alone = alone();
    in_context(|context, _| {
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let built = |current: &mut Current<_>| {
                        let stream = stream(current);
                        for _ in 0..8 {
                            let mut graph = Some(built(current).unwrap());
                            assert_eq!(replayed(current, &stream, &mut graph), (1, 2));
                        }
                    };
                    context.enter(&mut Thread::new().unwrap(), built).unwrap();
                });
            }
        });
    });
    alone.assert_nothing_lives();
}

/// Without a collection, and before the end of the scope.
#[proves(GRAPH_08)]
#[test]
fn a_build_that_cannot_begin_leaves_nothing_behind() {
    let (alone, _books) = undisturbed();
    inside(|current| {
        let before = control::live();
        for call in ["aclmdlRIBuildBegin", "aclrtCreateStreamWithConfig", "aclmdlRIBindStream"] {
            fail(&format!("{call}#1=507899"));
            assert!(current.build_graph(()).is_err(), "{call}");
            fail("");
            assert_eq!(control::live(), before, "{call}");
        }
    });
    alone.assert_nothing_lives();
}

/// Each order is one event, which is reset behind its wait: in the next replay it must not count as recorded.
#[proves(EVENT_10, GRAPH_08)]
#[test]
fn a_branch_of_a_build_resets_its_events_and_one_of_a_capture_does_not() {
    let alone = alone();
    inside(|current| {
        let mut own = stream(current);
        fail("aclrtResetEvent=507899");
        let mut build = current.build_graph(two(current)).unwrap();
        let added = build.add(current, |tasks, (first, _)| {
            tasks.branch(|tasks, side| {
                let first = side.adopt_after(tasks, first)?;
                drop(tasks.adopt_after(side, first)?);
                Ok(())
            })
        });
        assert_eq!(added.unwrap_err().code().unwrap().number(), 507_899);
        let mut side = stream(current);
        let captured = own.capture(current, CaptureMode::Relaxed, two(current), |capture, (first, _)| {
            capture.fork(&mut side, |capture, side| {
                let first = side.adopt_after(capture, first)?;
                drop(capture.adopt_after(side, first)?);
                Ok(())
            })
        });
        drop(captured.unwrap());
        fail("");
    });
    alone.assert_nothing_lives();
}

/// Its streams may be taken out of it by then, and the library may have destroyed it.
#[proves(GRAPH_07, GRAPH_08, MODEL_17)]
#[test]
fn a_built_graph_that_the_library_refused_to_destroy_is_not_replayed_any_more() {
    let alone = alone();
    for plan in [
        "aclmdlRIUnbindStream#1=507899",
        "aclmdlRIUnbindStream#1=after:507899",
        "aclmdlRIUnbindStream#2=507899",
        "aclmdlRIUnbindStream#2=after:507899",
        "aclmdlRIDestroy=507899",
        "aclmdlRIDestroy=after:507899",
        "aclrtDestroyStream#1=507899",
    ] {
        inside(|current| {
            let stream = stream(current);
            let mut graph = Some(built(current).unwrap());
            assert_eq!(replayed(current, &stream, &mut graph), (1, 2));
            fail(plan);
            let kept = graph.unwrap().into_operands(current).unwrap_err();
            fail("");
            assert_eq!(kept.error.code().unwrap().number(), 507_899, "{plan}");
            let refused = stream.replay(current, kept.value).unwrap_err();
            assert!(matches!(refused.error, Error::Gone { .. }), "{plan}: {}", refused.error);
            assert!(matches!(refused.value.name(current), Err(Error::Gone { .. })), "{plan}");
            let (first, _) = refused.value.into_operands(current).unwrap();
            assert_eq!(first.to_vec(current).unwrap()[0], 1);
            assert_lives!(streams, 1, "{plan}: those of the build are gone");
        });
    }
    alone.assert_nothing_lives();
}
