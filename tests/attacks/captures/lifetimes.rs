//! Graphs, replays and captures that are dropped, forgotten or leaked.

use super::*;
use crate::common::assert_lives;
use ascendcl::capture::Captured;
use ascendcl_macros::proves;
use ascendcl_sim::{Calls, Fault, Plan};
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

ascendcl::names!(Verified);

#[proves(GRAPH_07)]
#[test]
fn a_dropped_replay_is_not_destroyed_while_it_runs() {
    static GO_ON: AtomicBool = AtomicBool::new(false);
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let operands = io(current);
        let graph = stream.capture(current, CaptureMode::Relaxed, operands, |capture, (input, mut device, _)| {
            capture.launch_host_fn((), |()| {
                while !GO_ON.load(SeqCst) {
                    std::thread::yield_now();
                }
            })?;
            capture.copy_to_device(&input, &mut device)
        });
        drop(stream.replay(current, graph.unwrap()).unwrap());
        collect(current);
        assert_lives!(host_blocks, 2, "the replay reads one");
        GO_ON.store(true, SeqCst);
        stream.synchronize(current).unwrap();
        collect(current);
        assert_lives!(host_blocks, 0);
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_dropped_graph_is_collected_with_what_it_kept() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        drop(echo(current, &mut stream));
        collect(current);
        let live = control::live();
        assert_eq!((live.device_blocks, live.host_blocks), (0, 0));
    });
    alone.assert_nothing_lives();
}

#[test]
fn forgotten_graphs_and_replays_are_taken_down_with_their_scope() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let (first, second) = (echo(current, &mut stream), echo(current, &mut stream));
        mem::forget(assert_echoes(current, &stream, first, 1.0));
        mem::forget(stream.replay(current, second).unwrap());
        let third = echo(current, &mut stream);
        drop(stream.replay(current, third).unwrap());
        mem::forget(stream);
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_leaked_graph_outlives_its_stream() {
    let alone = alone();
    in_context(|context, thread| {
        let graph = context.enter(thread, |current| {
            let mut stream = stream(current);
            let graph = echo(current, &mut stream);
            stream.destroy(current).unwrap();
            Box::new(graph)
        });
        let graph = Box::leak(graph.unwrap());
        context
            .enter(thread, |current| {
                collect(current);
                graph.operands(current).unwrap().0.fill(4.0);
                assert_lives!(host_blocks, 2);
            })
            .unwrap();
    });
    alone.assert_nothing_lives();
}

#[test]
fn the_stream_of_a_capture_is_destroyed_and_the_graph_runs_on_another() {
    let alone = alone();
    inside(|current| {
        let mut first = stream(current);
        let graph = echo(current, &mut first);
        first.destroy(current).unwrap();
        let second = stream(current);
        let graph = assert_echoes(current, &second, graph, 5.0);
        let mut graph = current.default_stream().replay(current, graph).unwrap().wait(current).unwrap();
        graph.operands(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[test]
fn forgotten_names_of_a_capture_keep_nothing() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let operands = io(current);
        let graph = stream.capture(current, CaptureMode::Relaxed, operands, |capture, (input, mut device, output)| {
            capture.copy_to_device(&input, &mut device)?;
            let leaked: &mut (Captured<'_, _>, Captured<'_, _>) = Box::leak(Box::new((input, output)));
            Box::leak(Box::new(device));
            let _ = leaked;
            Ok(())
        });
        drop(graph.unwrap());
        collect(current);
        let live = control::live();
        assert_eq!((live.device_blocks, live.host_blocks), (0, 0));
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_07)]
#[test]
fn replays_follow_each_other_on_one_stream_and_are_refused_on_another() {
    let alone = alone();
    inside(|current| {
        let (mut first, second) = (stream(current), stream(current));
        let graph = echo(current, &mut first);
        let one = first.replay(current, graph).unwrap();
        let two = first.replay(current, one).unwrap();
        let refused = second.replay(current, two).unwrap_err();
        assert!(matches!(refused.error, Error::OtherStream { .. }), "{}", refused.error);
        let mut graph = refused.value.wait_within(current, Duration::from_secs(5)).unwrap();
        graph.operands(current).unwrap();
        drop(assert_echoes(current, &second, graph, 6.0));
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_10)]
#[test]
fn a_graph_with_branches_destroys_the_one_instance_that_its_capture_became() {
    let alone = alone();
    inside(|current| {
        let (mut main, mut side) = (stream(current), stream(current));
        let operands = io(current);
        let forked = main.capture(current, CaptureMode::Relaxed, operands, |capture, (input, device, output)| {
            let mut device = capture.fork(&mut side, |capture, side| {
                let (input, mut device) = (side.adopt_after(capture, input)?, side.adopt_after(capture, device)?);
                side.copy_to_device(&input, &mut device)?;
                Ok(capture.adopt_after(side, device)?)
            })?;
            drop(output);
            capture.set_bytes(&mut device, 0)
        });
        let (other, kept) = (echo(current, &mut main), echo(current, &mut side));
        // The second destruction from here on fails.
        let second = Calls::of("aclmdlRIDestroy").nth(2);
        crate::begin(Plan::new().at(second, Fault::Fails(507_899)));
        drop(forked.unwrap().into_operands(current).unwrap());
        let refused = other.into_operands(current).unwrap_err();
        assert_eq!(refused.error.code().unwrap().number(), 507_899, "it is the second");
        fail("");
        drop(assert_echoes(current, &main, kept, 2.0));
        drop(assert_echoes(current, &main, refused.value, 3.0));
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_replay_is_handed_to_another_stream_behind_an_event() {
    let alone = alone();
    inside(|current| {
        let (mut first, second) = (stream(current), stream(current));
        let mut graph = echo(current, &mut first);
        graph.operands(current).unwrap().0.fill(8.0);
        let pending = first.replay(current, graph).unwrap();
        let behind = first.record(current, current.event().unwrap()).unwrap();
        let pending = second.adopt_after(current, pending, &behind).unwrap();
        let mut graph = second.replay(current, pending).unwrap().wait(current).unwrap();
        assert_eq!(graph.operands(current).unwrap().2, [8.0; LENGTH]);
        graph.into_operands(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_replay_is_awaited_as_a_future() {
    let alone = alone();
    inside(|current| {
        let mut stream = stream(current);
        let mut graph = echo(current, &mut stream);
        graph.operands(current).unwrap().0.fill(3.0);
        let pending = stream.replay(current, graph).unwrap();
        let future = pending.into_future(current, &mut stream).unwrap();
        let mut graph = crate::common::block_on(future).0.unwrap();
        assert_eq!(graph.operands(current).unwrap().2, [3.0; LENGTH]);
    });
    alone.assert_nothing_lives();
}

/// A check of the crate refuses before anything was called.
#[proves(CTX_08, GRAPH_08)]
#[test]
fn a_built_graph_that_the_crate_refused_to_destroy_is_replayed() {
    let alone = alone();
    let setup = ascendcl::Setup::builder().library(crate::common::library()).device(0).verify_current(true).build();
    let runtime = ascendcl::Runtime::<Verified>::open(setup).unwrap();
    let attacks = |current: &mut Current<Verified>| {
        let stream = stream(current);
        let mut build = current.build_graph(io(current)).unwrap();
        build.add(current, |tasks, (input, mut device, _)| tasks.copy_to_device(&input, &mut device)).unwrap();
        let graph = build.end(current).unwrap();
        fail("aclrtGetCurrentContext=507899");
        let refused = graph.into_operands(current).unwrap_err();
        fail("");
        assert!(matches!(refused.error, Error::CurrentChanged { .. }), "{}", refused.error);
        let graph = stream.replay(current, refused.value).unwrap().wait(current).unwrap();
        drop(graph.into_operands(current).unwrap());
    };
    runtime.with(attacks).unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(GRAPH_07)]
#[test]
fn a_graph_that_is_destroyed_in_part_is_not_replayed() {
    let alone = alone();
    inside(|current| {
        let stream = stream(current);
        let mut build = current.build_graph(io(current)).unwrap();
        build.add(current, |tasks, (input, mut device, _)| tasks.copy_to_device(&input, &mut device)).unwrap();
        let graph = build.end(current).unwrap();
        fail("aclrtDestroyStream=507899");
        let refused = graph.into_operands(current).unwrap_err();
        fail("");
        let replayed = stream.replay(current, refused.value).unwrap_err();
        assert!(matches!(replayed.error, Error::Gone { .. }), "{}", replayed.error);
        drop(replayed.value.into_operands(current).unwrap());
    });
    alone.assert_nothing_lives();
}
