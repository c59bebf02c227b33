//! Captures on several streams.

use super::*;
use crate::common::assert_lives;
use ascendcl::capture::TaskKind;
use ascendcl_macros::proves;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[proves(GRAPH_06)]
#[test]
fn two_branches_meet_and_every_replay_keeps_their_order() {
    let alone = alone();
    inside(|current| {
        let (mut main, mut side) = (stream(current), stream(current));
        let operands = (io(current), io(current));
        let graph = main.capture(current, CaptureMode::Relaxed, operands, |capture, (first, second)| {
            let ((input, mut device, mut output), (_, other, mut last)) = (first, second);
            capture.copy_to_device(&input, &mut device)?;
            let (device, other) = capture.fork(&mut side, |capture, side| {
                let (device, mut other) = (side.adopt_after(capture, device)?, side.adopt_after(capture, other)?);
                side.copy_on_device(&device, &mut other)?;
                Ok((capture.adopt_after(side, device)?, capture.adopt_after(side, other)?))
            })?;
            capture.copy_to_host(&device, &mut output)?;
            capture.copy_to_host(&other, &mut last)
        });
        let mut graph = graph.unwrap();
        // No handle names the events that order the branches: the graph keeps them.
        collect(current);
        assert_lives!(events, 2, "those of the graph");
        for number in [1.0, 2.0] {
            graph.operands(current).unwrap().0.0.fill(number);
            graph = main.replay(current, graph).unwrap().wait(current).unwrap();
            let (first, second) = graph.operands(current).unwrap();
            assert_eq!((first.2[0], second.2[LENGTH - 1]), (number, number));
        }
        let branches: Vec<_> = graph.topology().tasks.iter().map(|task| (task.kind, task.branch)).collect();
        // The second branch is behind the first, and taking over needs no further wait; nor does the join.
        use TaskKind::{CopyMemory as Copy, Wait};
        let expected = [(Copy, 0), (Wait, 1), (Copy, 1), (Wait, 0), (Copy, 0), (Copy, 0)];
        assert_eq!(branches, expected);
        side.synchronize(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_branch_within_a_branch_comes_back() {
    let alone = alone();
    inside(|current| {
        let (mut main, mut side, mut third) = (stream(current), stream(current), stream(current));
        let operands = io(current);
        let graph = main.capture(current, CaptureMode::Relaxed, operands, |capture, (input, device, mut output)| {
            let device = capture.fork(&mut side, |capture, side| {
                side.fork(&mut third, |side, third| {
                    let input = side.adopt_after(capture, input)?;
                    let input = third.adopt_after(side, input)?;
                    let device = side.adopt_after(capture, device)?;
                    let mut device = third.adopt_after(side, device)?;
                    third.copy_to_device(&input, &mut device)?;
                    Ok(capture.adopt_after(third, device)?)
                })
            })?;
            capture.copy_to_host(&device, &mut output)
        });
        let graph = assert_echoes(current, &main, graph.unwrap(), 7.0);
        third.destroy(current).unwrap();
        side.destroy(current).unwrap();
        drop(assert_echoes(current, &main, graph, 8.0));
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_06)]
#[test]
fn a_branch_whose_program_fails_or_panics_is_joined_all_the_same() {
    let alone = alone();
    inside(|current| {
        let (mut main, mut side) = (stream(current), stream(current));
        let operands = io(current);
        let graph =
            main.capture(current, CaptureMode::Relaxed, operands, |capture, (input, mut device, mut output)| {
                let failed = capture.fork(&mut side, |_, _| Err::<(), _>(Error::NotExecuted));
                assert!(matches!(failed, Err(Error::NotExecuted)));
                let fork = AssertUnwindSafe(|| {
                    capture.fork(&mut side, |_, _| -> Result<(), Error> { std::panic::panic_any(1) })
                });
                assert!(catch_unwind(fork).is_err());
                capture.copy_to_device(&input, &mut device)?;
                capture.copy_to_host(&device, &mut output)
            });
        drop(assert_echoes(current, &main, graph.unwrap(), 2.0));
        side.synchronize(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[test]
fn one_stream_takes_part_in_several_forks() {
    let alone = alone();
    inside(|current| {
        let (mut main, mut side) = (stream(current), stream(current));
        let buffers: Box<[_]> = Box::new([current.upload(&[0_u8; 64]).unwrap(), current.upload(&[0_u8; 64]).unwrap()]);
        let graph = main.capture(current, CaptureMode::Relaxed, buffers, |capture, buffers| {
            let [first, second] = <[_; 2]>::try_from(buffers.into_vec()).unwrap();
            for (buffer, value) in [(first, 1), (second, 2)] {
                capture.fork(&mut side, |capture, side| {
                    side.adopt_after(capture, buffer).map(|mut buffer| side.set_bytes(&mut buffer, value))?
                })?;
            }
            Ok(())
        });
        let mut graph = main.replay(current, graph.unwrap()).unwrap().wait(current).unwrap();
        let buffers = graph.operands(current).unwrap();
        assert_eq!((buffers[0].to_vec(current).unwrap()[0], buffers[1].to_vec(current).unwrap()[0]), (1, 2));
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_04, GRAPH_06)]
#[test]
fn a_second_stream_that_a_thread_uses_between_fork_and_end_is_refused() {
    let alone = alone();
    in_context(|context, thread| {
        context
            .enter(thread, |current| {
                let (mut main, mut side) = (stream(current), stream(current));
                let operands = io(current);
                let graph = main.capture(current, CaptureMode::Relaxed, operands, |capture, (input, mut device, _)| {
                    capture.fork(&mut side, |_, _| Ok(()))?;
                    std::thread::scope(|scope| {
                        let side = &mut side;
                        scope.spawn(move || {
                            context.enter(&mut ascendcl::Thread::new().unwrap(), |current| {
                                let refused = side.synchronize(current).unwrap_err();
                                assert!(matches!(refused, Error::Capturing), "{refused}");
                                let buffer = current.device_buffer::<u8>(1).unwrap();
                                let refused = side.set_bytes(current, buffer, 1).unwrap_err();
                                assert!(matches!(refused.error, Error::Capturing), "{}", refused.error);
                                let refused = side.is_complete(current).unwrap_err();
                                assert!(matches!(refused, Error::Capturing), "{refused}");
                                let operands = io(current);
                                let refused = side.capture(current, CaptureMode::Relaxed, operands, |_, _| Ok(()));
                                assert!(matches!(refused.unwrap_err().error, Error::Capturing));
                            })
                        });
                    });
                    capture.copy_to_device(&input, &mut device)
                });
                let graph = graph.unwrap();
                side.synchronize(current).unwrap();
                drop(main.replay(current, graph).unwrap().wait(current).unwrap());
            })
            .unwrap();
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_captured_graph_is_drawn_with_its_streams_and_rules() {
    let alone = alone();
    inside(|current| {
        let (mut main, mut side) = (stream(current), stream(current));
        let operands = io(current);
        let graph =
            main.capture(current, CaptureMode::Relaxed, operands, |capture, (input, mut device, mut output)| {
                capture.copy_to_device(&input, &mut device)?;
                capture.fork(&mut side, |_, side| side.launch_host_fn((), |()| ()))?;
                capture.copy_to_host(&device, &mut output)
            });
        let picture = graph.unwrap().to_mermaid();
        let expected = "flowchart TD\n  \
            subgraph stream0[\"stream 0\"]\n    t0[\"copy: host 0 to device 1\"]\n    t3[\"wait\"]\n    \
            t4[\"copy: device 1 to host 2\"]\n  end\n  \
            subgraph stream1[\"stream 1\"]\n    t1[\"wait\"]\n    t2[\"callback\"]\n  end\n  \
            t0 -. GRAPH-06 .-> t1\n  t1 -- STREAM-04 --> t2\n  t0 -- STREAM-04 --> t3\n  \
            t2 -. GRAPH-06 .-> t3\n  t3 -- STREAM-04 --> t4\n";
        assert_eq!(picture, expected);
    });
    alone.assert_nothing_lives();
}

/// The library creates no event, which the order of two streams needs. The error is that of the call, and there is no
/// graph without the branch.
#[proves(GRAPH_06)]
#[test]
fn a_branch_without_an_event_for_its_order_is_refused() {
    let alone = alone();
    inside(|current| {
        let (mut main, mut side) = (stream(current), stream(current));
        let graph = main.capture(current, CaptureMode::Relaxed, io(current), |capture, (input, mut device, _)| {
            fail("aclrtCreateEventExWithFlag=507899");
            let refused = capture.fork(&mut side, |_, _| Ok(())).unwrap_err();
            crate::nothing_fails();
            assert_eq!(refused.code().unwrap().number(), 507_899);
            capture.copy_to_device(&input, &mut device)
        });
        let broken = graph.unwrap_err();
        assert!(matches!(broken.error, Error::CaptureBroken { .. }), "{}", broken.error);
        [&mut main, &mut side].into_iter().for_each(|stream| drop(echo(current, stream)));
    });
    alone.assert_nothing_lives();
}
