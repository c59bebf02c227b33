//! Memory that is lent to copies on a stream which is captured before the loan ends. The scope cannot wait for that
//! stream, and would abort the process if it tried and counted the refusals.

use super::*;
use ascendcl::Thread;
use ascendcl_macros::proves;
use std::sync::mpsc::channel;
use std::time::Duration;

const LONG: Duration = Duration::from_secs(20);
/// How long a capture has to begin too early.
const SOON: Duration = Duration::from_millis(200);

#[proves(COPY_04, GRAPH_04)]
#[test]
fn a_copy_of_lent_memory_that_a_captured_stream_refused_is_not_waited_for() {
    let alone = alone();
    in_context(|context, thread| {
        let capturing = |current: &mut Current<_>| {
            let (mut main, mut side) = (stream(current), stream(current));
            let graph = main.capture(current, CaptureMode::Relaxed, (), |capture, ()| {
                capture.fork(&mut side, |_, _| Ok(()))?;
                let side = &mut side;
                let lends = move |current: &mut Current<_>| {
                    let (given, room) = ([1_u8; LENGTH], current.device_buffer(LENGTH).unwrap());
                    let waited = current
                        .copy_scope(|current, copies| copies.copy_to_device(current, side, &given, room).unwrap_err());
                    let refused = waited.unwrap();
                    assert!(matches!(refused.error, Error::Capturing), "{}", refused.error);
                };
                let other = move || context.enter(&mut Thread::new().unwrap(), lends).unwrap();
                std::thread::scope(|threads| threads.spawn(other).join().unwrap());
                Ok(())
            });
            drop(graph.unwrap());
            side.synchronize(current).unwrap();
        };
        context.enter(thread, capturing).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(COPY_04, GRAPH_04)]
#[test]
fn a_stream_with_copies_of_lent_memory_is_captured_when_they_are_over() {
    for forked in [false, true] {
        let alone = alone();
        in_context(|context, thread| {
            let ((give, taken), (begins, begun), (ends, ended)) = (channel(), channel(), channel());
            let lends = move |current: &mut Current<_>| {
                let (given, room) = ([1_u8; LENGTH], current.device_buffer(LENGTH).unwrap());
                let copied = current.copy_scope(|current, copies| {
                    let stream = stream(current);
                    let copied = copies.copy_to_device(current, &stream, &given, room).unwrap();
                    give.send(stream).unwrap();
                    begun.recv_timeout(LONG).unwrap();
                    copied
                });
                // The loan is over, and the stream is being captured.
                ends.send(copied.unwrap()).unwrap();
            };
            let captures = |current: &mut Current<_>| {
                let (mut own, mut other) = (taken.recv_timeout(LONG).unwrap(), stream(current));
                let meets = || {
                    begins.send(()).unwrap();
                    ended.recv_timeout(LONG).unwrap()
                };
                let mut copied = None;
                let graph = match forked {
                    false => own.capture(current, CaptureMode::Relaxed, (), |_, ()| {
                        copied = Some(meets());
                        Ok(())
                    }),
                    true => other.capture(current, CaptureMode::Relaxed, (), |capture, ()| {
                        capture.fork(&mut own, |_, _| {
                            copied = Some(meets());
                            Ok(())
                        })
                    }),
                };
                drop(graph.unwrap());
                assert_eq!(copied.unwrap().wait(current).unwrap().to_vec(current).unwrap(), [1; LENGTH]);
            };
            std::thread::scope(|threads| {
                threads.spawn(|| context.enter(&mut Thread::new().unwrap(), lends).unwrap());
                context.enter(thread, captures).unwrap();
            });
        });
        alone.assert_nothing_lives();
    }
}

#[proves(COPY_04, GRAPH_04)]
#[test]
fn a_capture_begins_when_the_copies_of_lent_memory_before_it_are_over() {
    let alone = alone();
    in_context(|context, thread| {
        let ((give, taken), (begins, begun)) = (channel(), channel());
        let lends = move |current: &mut Current<_>| {
            // Pinned memory is copied when its turn comes, and not during the call.
            let (mut given, room) = (current.host_buffer(LENGTH).unwrap(), current.device_buffer(LENGTH).unwrap());
            given.fill(1_u8);
            let copied = current.copy_scope(|current, copies| {
                let (stream, (go, held)) = (stream(current), channel::<()>());
                drop(stream.launch_host_fn(current, move || held.recv().is_ok()).unwrap());
                let copied = copies.copy_to_device(current, &stream, &given, room).unwrap();
                give.send(stream).unwrap();
                let early = begun.recv_timeout(SOON);
                go.send(()).unwrap();
                assert!(early.is_err(), "the memory is still lent, and the scope would not wait for this stream");
                begun.recv_timeout(LONG).unwrap();
                copied
            });
            assert_eq!(copied.unwrap().wait(current).unwrap().to_vec(current).unwrap(), [1; LENGTH]);
        };
        let captures = |current: &mut Current<_>| {
            let mut own = taken.recv_timeout(LONG).unwrap();
            let graph = own.capture(current, CaptureMode::Relaxed, (), |_, ()| {
                begins.send(()).unwrap();
                Ok(())
            });
            drop(graph.unwrap());
        };
        std::thread::scope(|threads| {
            threads.spawn(|| context.enter(&mut Thread::new().unwrap(), lends).unwrap());
            context.enter(thread, captures).unwrap();
        });
    });
    alone.assert_nothing_lives();
}

/// Work from before the capture, which another thread has.
#[proves(GRAPH_04, STREAM_04)]
#[test]
fn work_of_a_captured_stream_is_waited_for_when_the_capture_has_ended() {
    let alone = alone();
    in_context(|context, thread| {
        let capturing = |current: &mut Current<_>| {
            let mut main = stream(current);
            let set = |value| main.set_bytes(current, current.device_buffer::<u8>(LENGTH).unwrap(), value).unwrap();
            let known = set(1);
            main.synchronize(current).unwrap();
            let (work, mut back) = (set(2), None);
            let graph = main.capture(current, CaptureMode::Relaxed, (), |_, ()| {
                let waits = |current: &mut Current<_>| {
                    assert_eq!(known.wait(current).unwrap().to_vec(current).unwrap(), [1; LENGTH]);
                    assert!(matches!(work.is_complete(current), Err(Error::Capturing)));
                    let refused = work.wait(current).unwrap_err();
                    assert!(matches!(refused.error, Error::Capturing), "{}", refused.error);
                    back = Some(refused.value);
                };
                std::thread::scope(|scope| {
                    scope.spawn(|| context.enter(&mut Thread::new().unwrap(), waits));
                });
                Ok(())
            });
            assert_eq!(back.unwrap().wait(current).unwrap().to_vec(current).unwrap(), [2; LENGTH]);
            drop(graph);
        };
        context.enter(thread, capturing).unwrap();
    });
    alone.assert_nothing_lives();
}
