//! Conditions of captured graphs. The simulator has them where the manual's word counts.

use super::*;
use crate::common::{library, under_watch};
use ascendcl::capture::{Capture, Captured, TaskKind, Tasks};
use ascendcl::{Runtime, Thread, operator};
use ascendcl_macros::proves;
use ascendcl_sim::Config;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::Duration;

ascendcl::names!(Conditional);

pub(super) fn alone_with_conditions() -> (crate::common::Alone, crate::null::Books) {
    let (alone, books) = undisturbed();
    control::configure(under_watch(Config::new().documented(true))).unwrap();
    (alone, books)
}

type Numbers<C> = DeviceBuffer<C, u32>;
type Bytes<C> = DeviceBuffer<C, u8>;
pub(super) type Io2<C> = (Numbers<C>, Bytes<C>);

pub(super) fn numbers<C: Brand>(current: &Current<C>) -> Io2<C> {
    (current.upload(&[0_u32; 16]).unwrap(), current.upload(&[0_u8; 4]).unwrap())
}

/// Replays the graph with this number, and returns the bytes, which are zero before.
fn replayed<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C, DefaultAllocator>,
    graph: &mut Option<CapturedGraph<C, Io2<C>>>,
    number: u32,
) -> u8 {
    let mut own = graph.take().unwrap();
    own.operands(current).unwrap().0.copy_from(current, &[number; 16]).unwrap();
    own.operands(current).unwrap().1.copy_from(current, &[0; 4]).unwrap();
    let mut own = stream.replay(current, own).unwrap().wait(current).unwrap();
    let bytes = own.operands(current).unwrap().1.to_vec(current).unwrap();
    *graph = Some(own);
    bytes[0]
}

pub(super) fn capture<C: Brand>(
    current: &mut Current<C>,
    program: impl for<'g> FnOnce(
        &mut Capture<'g, C>,
        (Captured<'g, Numbers<C>>, Captured<'g, Bytes<C>>),
        &mut Stream<C, DefaultAllocator>,
    ) -> Result<(), Error>,
) -> (Stream<C, DefaultAllocator>, Result<CapturedGraph<C, Io2<C>>, ascendcl::Failed<Io2<C>>>) {
    let (mut main, mut side) = (stream(current), stream(current));
    let operands = numbers(current);
    let graph =
        main.capture(current, CaptureMode::Relaxed, operands, |capture, names| program(capture, names, &mut side));
    // The second stream is free again, whatever has happened.
    side.synchronize(current).unwrap();
    drop(echo(current, &mut side));
    (main, graph)
}

#[proves(GRAPH_10)]
#[test]
fn each_replay_runs_the_body_that_the_number_of_then_says() {
    let (alone, _books) = alone_with_conditions();
    inside(|current| {
        let (main, graph) = capture(current, |capture, (number, mut bytes), side| {
            capture.run_if(side, &number, |body| body.set_bytes(&mut bytes, 7))?;
            capture.launch_host_fn(0, |_| ())
        });
        let mut graph = Some(graph.unwrap());
        for (number, expected) in [(0, 0), (1, 7), (u32::MAX, 7), (0, 0)] {
            assert_eq!(replayed(current, &main, &mut graph, number), expected, "{number}");
        }
        let (main, graph) = capture(current, |capture, (number, mut bytes), side| {
            capture.run_if_else(side, &number, |body, is_true| body.set_bytes(&mut bytes, if is_true { 7 } else { 8 }))
        });
        let mut graph = Some(graph.unwrap());
        for (number, expected) in [(0, 8), (1, 7), (0, 8)] {
            assert_eq!(replayed(current, &main, &mut graph, number), expected, "{number}");
        }
        let graph = graph.unwrap();
        let tasks: Vec<_> = graph.topology().tasks.iter().map(|task| (task.kind, task.after.clone())).collect();
        let expected = [
            (TaskKind::If, vec![]),
            (TaskKind::Body, vec![0]),
            (TaskKind::SetMemory, vec![1]),
            (TaskKind::Body, vec![0]),
            (TaskKind::SetMemory, vec![3]),
            (TaskKind::End, vec![0, 2, 4]),
        ];
        assert_eq!(tasks, expected);
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_10)]
#[test]
fn a_loop_runs_until_its_body_says_that_it_is_over() {
    let (alone, _books) = alone_with_conditions();
    inside(|current| {
        let (mut main, mut side) = (stream(current), stream(current));
        let number = |of: i32| current.upload_tensor(&[1], &[of]).unwrap();
        let down = operator::add(current, number(0), number(-1)).unwrap();
        let (rounds, counts) = (Arc::new(AtomicU32::new(0)), |rounds: &Arc<AtomicU32>| {
            rounds.fetch_add(1, SeqCst);
        });
        let counted = Arc::clone(&rounds);
        let operands = (current.upload(&[0_i32]).unwrap(), down);
        let graph = main.capture(current, CaptureMode::Relaxed, operands, |capture, (mut left, mut down)| {
            capture.run_while(&mut side, &mut left, |body, left| {
                body.copy_to_input(left, &mut down, 0)?;
                body.launch(&mut down)?;
                body.copy_from_output(&down, 0, left)?;
                body.launch_host_fn(counted, counts)
            })
        });
        let mut graph = graph.unwrap();
        for number in [3, 0, 1] {
            graph.operands(current).unwrap().0.copy_from(current, &[number]).unwrap();
            graph = main.replay(current, graph).unwrap().wait(current).unwrap();
            assert_eq!(rounds.swap(0, SeqCst), number.unsigned_abs());
            assert_eq!(graph.operands(current).unwrap().0.to_vec(current).unwrap(), [0]);
        }
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_10, GRAPH_01)]
#[test]
fn conditions_stand_in_bodies_of_conditions_and_beside_each_other() {
    let (alone, _books) = alone_with_conditions();
    inside(|current| {
        let mut inner = stream(current);
        let (main, graph) = capture(current, |capture, (number, mut bytes), side| {
            capture.set_bytes(&mut bytes, 1)?;
            capture.run_if_else(side, &number, |body, is_true| match is_true {
                true => {
                    body.set_bytes(&mut bytes, 2)?;
                    body.run_if(&mut inner, &number, |body| body.set_bytes(&mut bytes, 3))
                }
                false => body.run_if_else(&mut inner, &number, |body, is_true| {
                    body.set_bytes(&mut bytes, if is_true { 4 } else { 5 })
                }),
            })?;
            // The streams are free for the next one.
            capture
                .run_if(&mut inner, &number, |body| body.run_if(side, &number, |body| body.launch_host_fn(0, |_| ())))
        });
        let mut graph = Some(graph.unwrap());
        for (number, expected) in [(0, 5), (9, 3)] {
            assert_eq!(replayed(current, &main, &mut graph, number), expected, "{number}");
        }
        drop(echo(current, &mut inner));
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_library_without_conditions_says_so_and_the_capture_goes_on() {
    let alone = alone();
    inside(|current| {
        let (main, graph) = capture(current, |capture, (number, mut bytes), side| {
            let refused = capture.run_if(side, &number, |_| panic!("no body is asked for")).unwrap_err();
            assert!(matches!(refused, Error::ConditionsUnsupported(_)), "{refused}");
            assert_eq!(refused.code().unwrap().number(), 207_000);
            capture.set_bytes(&mut bytes, 5)
        });
        assert_eq!(replayed(current, &main, &mut Some(graph.unwrap()), 0), 5);
    });
    alone.assert_nothing_lives();
}

#[proves(GRAPH_06, GRAPH_09)]
#[test]
fn bodies_have_no_forks_and_no_groups_and_nothing_crosses_their_border() {
    let (alone, _books) = alone_with_conditions();
    inside(|current| {
        let (mut third, mut fourth) = (stream(current), stream(current));
        let (main, graph) = capture(current, |capture, (number, mut bytes), side| {
            capture.run_if(side, &number, |body| {
                let refused = body.fork(&mut third, |_, _| Ok(())).unwrap_err();
                assert!(matches!(refused, Error::InABody), "{refused}");
                let refused = body.task_group(Tasks::new()).map(drop).unwrap_err();
                assert!(matches!(refused, Error::InABody), "{refused}");
                body.set_bytes(&mut bytes, 7)
            })?;
            // Each of two branches has a body under way.
            capture.fork(&mut third, |capture, branch| {
                let (theirs, mut back) = (branch.adopt_after(capture, bytes)?, None);
                capture.run_if(side, &number, |outer| {
                    let refused = outer.adopt_after(branch, theirs).unwrap_err();
                    assert!(matches!(refused.error, Error::OtherCapture), "{}", refused.error);
                    back = Some(refused.value);
                    Ok(())
                })?;
                let (number, mut theirs) = (branch.adopt_after(capture, number)?, back.unwrap());
                branch.run_if(&mut fourth, &number, |body| body.set_bytes(&mut theirs, 8))
            })
        });
        let mut graph = Some(graph.unwrap());
        for (number, expected) in [(0, 0), (9, 8)] {
            assert_eq!(replayed(current, &main, &mut graph, number), expected, "{number}");
        }
    });
    alone.assert_nothing_lives();
}

/// A graph with a condition of two bodies, one of which has a condition of its own.
pub(super) fn nested<C: Brand>(current: &mut Current<C>) -> Result<CapturedGraph<C, Io2<C>>, Error> {
    let mut main = current.stream()?.without_allocator();
    let (mut side, mut inner) = (current.stream()?.without_allocator(), current.stream()?.without_allocator());
    let operands = (current.upload(&[0_u32; 16])?, current.upload(&[0_u8; 4])?);
    let graph = main.capture(current, CaptureMode::Relaxed, operands, |capture, (number, mut bytes)| {
        capture.run_if_else(&mut side, &number, |body, _| {
            body.run_if(&mut inner, &number, |body| body.set_bytes(&mut bytes, 3))
        })
    });
    graph.map_err(|failed| failed.error)
}

#[proves(GRAPH_04, GRAPH_06)]
#[test]
fn the_stream_of_a_body_takes_no_other_work_and_no_second_body() {
    let (alone, _books) = alone_with_conditions();
    in_context(|context, thread| {
        let captures = |current: &mut Current<_>| {
            let (mut main, mut side, mut shared) = (stream(current), stream(current), stream(current));
            let (operands, fours) = (numbers(current), current.upload(&[0_u8; 4]).unwrap());
            let (earlier, mut back) = (side.set_bytes(current, fours, 4).unwrap(), None);
            let graph = main.capture(current, CaptureMode::Relaxed, operands, |capture, (number, mut bytes)| {
                capture.fork(&mut shared, |_, _| Ok(()))?;
                // It takes part in the capture until the end.
                let refused = capture.run_if(&mut shared, &number, |_| Ok(())).unwrap_err();
                assert!(matches!(refused, Error::Capturing), "{refused}");
                capture.run_if(&mut side, &number, |body| {
                    let waits = move || {
                        let waits = |current: &mut Current<_>| earlier.wait(current).map(drop).unwrap_err();
                        context.enter(&mut Thread::new().unwrap(), waits).unwrap()
                    };
                    let refused = std::thread::scope(|threads| threads.spawn(waits).join().unwrap());
                    assert!(matches!(refused.error, Error::Capturing), "{}", refused.error);
                    back = Some(refused.value);
                    body.set_bytes(&mut bytes, 7)
                })
            });
            assert_eq!(back.unwrap().wait(current).unwrap().to_vec(current).unwrap(), [4; 4]);
            let mut graph = Some(graph.unwrap());
            assert_eq!(replayed(current, &main, &mut graph, 1), 7);
        };
        context.enter(thread, captures).unwrap();
    });
    alone.assert_nothing_lives();
}

#[test]
fn the_stream_of_another_runtime_of_the_name_is_refused_and_the_capture_goes_on() {
    let (alone, _books) = alone_with_conditions();
    let open = || Runtime::<Conditional>::open(library()).unwrap();
    let (first, second) = (open(), open());
    let mut theirs = second.with(|current| stream(current)).unwrap();
    first
        .with(|current| {
            let mut main = stream(current);
            let operands = numbers(current);
            let graph = main.capture(current, CaptureMode::Relaxed, operands, |capture, (number, mut bytes)| {
                let refused = capture.run_if(&mut theirs, &number, |_| Ok(())).unwrap_err();
                assert!(matches!(refused, Error::WrongContext { .. }), "{refused}");
                capture.set_bytes(&mut bytes, 6)
            });
            assert_eq!(replayed(current, &main, &mut Some(graph.unwrap()), 1), 6);
        })
        .unwrap();
    drop(theirs);
    first.close().unwrap();
    second.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(GRAPH_05, GRAPH_07)]
#[test]
fn replays_that_are_forgotten_or_under_way_end_with_their_runtime() {
    let (alone, _books) = alone_with_conditions();
    for is_forced in [false, true] {
        let runtime = Runtime::<Conditional>::open(library()).unwrap();
        let left = runtime.with(|current| {
            let graph = nested(current).unwrap();
            let stream = stream(current);
            (stream.replay(current, graph).unwrap(), stream)
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
