//! Graphs that are left in each of their states, and closures that panic in each of them.

use super::groups::{Op, operator, with_two};
use super::*;
use crate::common::{assert_lives, library};
use ascendcl::{Acl, Recovered, Runtime, Thread};
use ascendcl_macros::proves;
use ascendcl_sim::{Calls, Fault, Plan};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::sync::Barrier;
use std::time::Duration;

ascendcl::names!(Left);

/// Leaves a graph in one of its states, and what is with it.
fn left_in<C: Brand + 'static>(current: &mut Current<C>, state: usize) -> Option<Box<dyn core::any::Any>> {
    let mut own = stream(current);
    match state {
        0 => return Some(Box::new(current.build_graph(io(current)).unwrap())),
        1 => {
            let mut build = current.build_graph(io(current)).unwrap();
            drop(build.add(current, |_, _| Err(Error::NotExecuted)));
            return Some(Box::new(build));
        }
        2 => {
            let mut build = current.build_graph((current.upload(&[0_u32]).unwrap(), io(current))).unwrap();
            let added = build.add(current, |tasks, (index, _)| tasks.switch(&index, 3, |_, _| Ok(())));
            added.unwrap();
            return Some(Box::new(build.end(current).unwrap()));
        }
        3 => return Some(Box::new(echo(current, &mut own))),
        4 => {
            let graph = echo(current, &mut own);
            return Some(Box::new(own.replay(current, graph).unwrap()));
        }
        5 => {
            let (graph, group) = with_two(current, &mut own);
            let updated = own.update(current, graph, &group, |tasks, (_, mut second)| tasks.launch(&mut second));
            return Some(Box::new((updated.unwrap(), group)));
        }
        6 => {
            let (graph, group) = with_two(current, &mut own);
            fail("aclmdlRICaptureTaskUpdateEnd#1=507899");
            let half = own.update(current, graph, &group, |tasks, (_, mut second)| tasks.launch(&mut second));
            fail("");
            return Some(Box::new((half.unwrap_err(), group)));
        }
        7 => {
            let refused = own.capture(current, CaptureMode::Relaxed, io(current), |_, _| Err(Error::NotExecuted));
            return Some(Box::new(refused.unwrap_err()));
        }
        8 => {
            let graph = echo(current, &mut own);
            return Some(Box::new(own.replay(current, graph).unwrap().when_done(current, &own).unwrap()));
        }
        _ => {}
    }
    None
}

#[proves(GRAPH_05, GRAPH_07, GRAPH_08)]
#[test]
fn what_is_forgotten_or_dropped_in_any_state_ends_with_its_runtime() {
    let (alone, _books) = undisturbed();
    for is_forgotten in [false, true] {
        for is_outside in [false, true] {
            let runtime = Runtime::<Left>::open(library()).unwrap();
            let mut kept = Vec::new();
            for state in 0.. {
                let Some(left) = runtime.with(|current| left_in(current, state)).unwrap() else { break };
                if is_outside {
                    kept.push(left);
                } else if is_forgotten {
                    mem::forget(left);
                } else {
                    drop(left);
                    drop(runtime.with(|current| drop(current.collect())));
                }
            }
            runtime.close().unwrap();
            if is_forgotten {
                mem::forget(kept)
            } else {
                drop(kept)
            }
            alone.assert_nothing_lives();
        }
    }
}

#[proves(GRAPH_01, GRAPH_08)]
#[test]
fn a_panic_in_any_closure_leaves_streams_and_operands_that_work() {
    let alone = alone();
    inside(|current| {
        let (mut own, mut side) = (stream(current), stream(current));
        let mut third = stream(current);
        for place in 0..5 {
            let panic = catch_unwind(AssertUnwindSafe(|| {
                let captured =
                    own.capture(current, CaptureMode::Relaxed, io(current), |capture, (input, mut device, _)| {
                        if place == 0 {
                            panic_any(place);
                        }
                        capture.copy_to_device(&input, &mut device)?;
                        capture.fork(&mut side, |main, side| {
                            if place == 1 {
                                panic_any(place);
                            }
                            side.fork(&mut third, |_, third| {
                                if place == 2 {
                                    panic_any(place);
                                }
                                third.launch_host_fn(0, |_| ())
                            })?;
                            main.launch_host_fn(0, |_| ())
                        })?;
                        if place == 3 {
                            panic_any(place);
                        }
                        Ok(())
                    });
                drop(captured);
                panic_any(place)
            }));
            assert_eq!(panic.map(|(): ()| ()).unwrap_err().downcast_ref(), Some(&place));
            for stream in [&mut own, &mut side, &mut third] {
                stream.synchronize(current).unwrap();
                let graph = echo(current, stream);
                drop(assert_echoes(current, stream, graph, place as f32));
            }
            collect(current);
            assert_lives!(host_blocks, 0, "place {place}");
        }
    });
    alone.assert_nothing_lives();
}

/// A panic out of a case, caught within the case around it, or around the whole switch.
#[proves(GRAPH_08, STREAM_20)]
#[test]
fn a_panic_that_is_caught_within_a_case_breaks_the_build_too() {
    let alone = alone();
    inside(|current| {
        let operands = (current.upload(&[0_u32]).unwrap(), current.upload(&[0_u8; 4]).unwrap());
        let mut build = current.build_graph(operands).unwrap();
        let added = build.add(current, |tasks, (index, mut bytes)| {
            tasks.switch(&index, 2, |tasks, _| {
                let inner = catch_unwind(AssertUnwindSafe(|| {
                    tasks.switch(&index, 2, |tasks, case| {
                        tasks.set_bytes(&mut bytes, 1)?;
                        if case == 1 { panic_any("inner") } else { Ok(()) }
                    })
                }));
                drop(inner.unwrap_err());
                Ok(())
            })
        });
        added.unwrap();
        let refused = build.end(current).unwrap_err();
        assert!(refused.error.to_string().contains("a case of a switch panicked"), "{}", refused.error);
        let operands = refused.value.into_operands(current).unwrap();
        drop(current.build_graph(operands).unwrap().end(current).unwrap());
    });
    alone.assert_nothing_lives();
}

fn switched<C: Brand>(current: &Current<C>) -> CapturedGraph<C, (DeviceBuffer<C, u32>, Io<C>)> {
    let mut build = current.build_graph((current.upload(&[1_u32]).unwrap(), io(current))).unwrap();
    let added = build.add(current, |tasks, (index, (_, mut device, _))| {
        tasks.switch(&index, 2, |tasks, case| tasks.set_bytes(&mut device, case as u8))
    });
    added.unwrap();
    build.end(current).unwrap()
}

/// The device is reset by force: what the graph had in the library is lost, and the next graph works.
#[proves(GRAPH_08, STREAM_20)]
#[test]
fn switches_are_lost_with_a_device_that_is_recovered_by_force_and_the_next_one_works() {
    let (alone, _books) = undisturbed();
    let (acl, mut thread) = (Acl::init(library()).unwrap(), Thread::new().unwrap());
    let device = acl.device(&mut thread, 0).unwrap().with_teardown_timeout(Duration::from_millis(50));
    let scope = device.with_current(&mut thread, |current| {
        drop(stream(current).replay(current, switched(current)).unwrap());
        let waits = |call| (Calls::of("aclrtSynchronizeStreamWithTimeout").nth(call), Fault::Fails(507_899));
        let plan = (1..=4).map(waits).fold(Plan::new(), |plan, (calls, fault)| plan.at(calls, fault));
        let aborts = ["aclrtStreamAbort", "aclrtDeviceTaskAbort"].map(Calls::of);
        let plan = aborts.into_iter().fold(plan, |plan, call| plan.at(call, Fault::Fails(207_000)));
        crate::begin(plan);
    });
    scope.unwrap_err();
    let recovered = device.recover(&mut thread, Duration::from_secs(1)).unwrap();
    assert!(matches!(recovered, Recovered::Reset { .. }), "{recovered:?}");
    crate::nothing_fails();
    let again = acl.device(&mut thread, 0).unwrap().with_current(&mut thread, |current| {
        let graph = stream(current).replay(current, switched(current)).unwrap().wait(current).unwrap();
        drop(graph.into_operands(current).unwrap());
    });
    again.unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// A replay goes to a thread that waits for it; the first thread collects, and asks the runtime to close.
#[proves(GRAPH_07, CTX_06)]
#[test]
fn a_replay_that_another_thread_waits_for_keeps_its_runtime_open() {
    let (alone, _books) = undisturbed();
    let runtime = Runtime::<Left>::open(library()).unwrap();
    let replay = runtime
        .with(|current| {
            let mut stream = stream(current);
            let graph = echo(current, &mut stream);
            stream.replay(current, graph).unwrap()
        })
        .unwrap();
    let (inside, closed) = (Barrier::new(2), Barrier::new(2));
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| {
            let waited = runtime.with(|current| {
                inside.wait();
                closed.wait();
                let graph = replay.wait(current).unwrap();
                drop(graph.into_operands(current).unwrap());
            });
            waited.unwrap();
        });
        inside.wait();
        assert!(runtime.close().is_err(), "a thread is inside");
        closed.wait();
        waits.join().unwrap();
    });
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

/// Replays that are refused, also when they took place, and waits that fail: what comes back holds what it says.
#[proves(GRAPH_07)]
#[test]
fn replays_and_waits_that_fail_in_pairs_lose_no_operand_and_tell_no_wrong_result() {
    let alone = alone();
    inside(|current| {
        let (mut own, other) = (stream(current), stream(current));
        let calls = ["aclmdlRIExecuteAsync#1", "aclmdlRIExecuteAsync#2", "aclrtSynchronizeStreamWithTimeout#1"];
        for (at, first) in calls.iter().enumerate() {
            for second in &calls[at + 1..] {
                for how in ["", "after:"] {
                    let mut graph = echo(current, &mut own);
                    graph.operands(current).unwrap().0.fill(5.0);
                    fail(&format!("{first}={how}507899,{second}={how}507899"));
                    let graph = match own.replay(current, graph) {
                        Ok(replay) => match own.replay(current, replay) {
                            Ok(again) => again.wait(current).map_err(drop).ok(),
                            Err(failed) => failed.value.wait(current).map_err(drop).ok(),
                        },
                        Err(failed) => Some(failed.value),
                    };
                    fail("");
                    // The first wait tells of what was made to fail.
                    drop(own.synchronize(current));
                    own.synchronize(current).unwrap();
                    let Some(mut graph) = graph else { continue };
                    // Whatever has happened: nothing runs any more, and the graph works on another stream, or is only
                    // taken apart.
                    let is_in_doubt = matches!(graph.operands(current), Err(Error::InDoubt { .. }));
                    let graph = if is_in_doubt { graph } else { assert_echoes(current, &other, graph, 6.0) };
                    let (input, ..) = graph.into_operands(current).unwrap();
                    assert_eq!(input.slice(current).unwrap()[0], if is_in_doubt { 5.0 } else { 6.0 });
                    drop(input);
                    collect(current);
                    assert_lives!(host_blocks, 0, "{first} {second} {how}");
                }
            }
        }
    });
    alone.assert_nothing_lives();
}

/// An operator that an update took out of a graph is the graph's until its end, whatever replays are in flight.
#[proves(GRAPH_05, GRAPH_09)]
#[test]
fn updates_that_are_dropped_in_flight_one_after_the_other_keep_every_operator() {
    let alone = alone();
    inside(|current| {
        let mut own = stream(current);
        let before = control::live().device_blocks;
        let (mut graph, group) = with_two(current, &mut own);
        for round in 0..4 {
            let updated = own.update(current, graph, &group, |tasks, (mut first, mut second): (_, _)| {
                if round % 2 == 0 { tasks.launch(&mut second) } else { tasks.launch(&mut first) }
            });
            graph = own.replay(current, updated.unwrap()).unwrap().wait(current).unwrap();
        }
        let third: Op<_> = operator(current, "Relu", 3.0);
        let graph = graph.with_operands(current, third).unwrap();
        let updated = own.update(current, graph, &group, |tasks, (_, mut third)| tasks.launch(&mut third)).unwrap();
        drop(own.replay(current, updated).unwrap());
        collect(current);
        let live = control::live().device_blocks;
        assert!(live >= before + 6, "{live}: the graph is in flight, and has three operators");
        own.destroy(current).unwrap();
        collect(current);
        assert_lives!(device_blocks, before, "the group keeps nothing, and the working memory went with the stream");
        drop(group);
    });
    alone.assert_nothing_lives();
}

/// The instance of a capture that failed names the operands, which come back to be freed.
#[proves(GRAPH_05)]
#[test]
fn operands_of_a_failed_capture_are_freed_after_its_instance_also_when_the_library_refuses_once() {
    let alone = alone();
    inside(|current| {
        let mut own = stream(current);
        for how in ["", "after:"] {
            let operands = io(current);
            fail(&format!("aclmdlRIDestroy#1={how}507899"));
            let refused = own.capture(current, CaptureMode::Relaxed, operands, |capture, (input, mut device, _)| {
                capture.copy_to_device(&input, &mut device)?;
                Err(Error::NotExecuted)
            });
            fail("");
            let (input, device, output) = refused.unwrap_err().value;
            input.free(current).unwrap();
            device.free(current).unwrap();
            output.free(current).unwrap();
        }
    });
    alone.assert_nothing_lives();
}

/// The library refuses to begin a capture, has begun it all the same, and refuses to end it: the end of the stream tries
/// again.
#[proves(GRAPH_01, STREAM_07)]
#[test]
fn a_capture_that_may_have_begun_and_could_not_be_ended_is_not_forgotten() {
    let alone = alone();
    inside(|current| {
        let mut own = stream(current);
        fail("aclmdlRICaptureBegin#1=after:507899,aclmdlRICaptureEnd=507899");
        let refused = own.capture(current, CaptureMode::Relaxed, io(current), |_, _| panic!("it has not begun"));
        assert_eq!(refused.unwrap_err().error.code().unwrap().number(), 507_899);
        assert!(matches!(own.synchronize(current), Err(Error::Capturing)));
        assert!(matches!(own.with_raw(current, |_| ()), Err(Error::Capturing)));
        // The end of another stream does not ask for it.
        let other = stream(current);
        drop(other.set_bytes(current, current.device_buffer::<u8>(4).unwrap(), 1).unwrap());
        let before = control::injected().len();
        other.destroy(current).unwrap();
        assert_eq!(control::injected().len(), before);
        crate::nothing_fails();
        own.destroy(current).unwrap();
    });
    alone.assert_nothing_lives();
}
