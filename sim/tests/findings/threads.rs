//! Several threads at once.

use crate::support::*;
use ascendcl_sim::{Checks, Config};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

#[test]
fn a_stream_is_not_destroyed_under_a_waiting_thread() {
    let found = broken(|| {
        let (stream, context) = (stream(), current());
        let gate = Gate::close(stream);
        let shared = Shared::new((stream, context));
        let (begin, begun) = mpsc::channel();
        let waiter = thread::spawn(move || {
            let (stream, context) = shared.get();
            ok!(aclrtSetCurrentContext(context));
            begin.send(()).unwrap();
            acl!(aclrtSynchronizeStream(stream))
        });
        begun.recv().unwrap();
        thread::sleep(Duration::from_millis(50));
        // A forced destroy waits for what runs.
        let opener = thread::spawn(move || {
            thread::sleep(Duration::from_millis(50));
            gate.open();
        });
        ok!(aclrtDestroyStreamForce(stream));
        opener.join().unwrap();
        waiter.join().unwrap();
    });
    assert_eq!(found, [rules::STREAM_07]);
}

#[test]
fn what_one_thread_waited_for_is_over_for_all() {
    let run = || {
        let (block, pinned, stream, context) = (malloc(64), malloc_host(64), stream(), current());
        queue_copy(block, pinned, TO_DEVICE, stream);
        let shared = Shared::new((stream, context));
        on_a_thread(move || {
            let (stream, context) = shared.get();
            ok!(aclrtSetCurrentContext(context));
            sync(stream);
        });
        ok!(aclrtFree(block));
        ok!(aclrtFreeHost(pinned));
        ok!(aclrtDestroyStream(stream));
    };
    assert_eq!(broken(run), []);
}

#[test]
fn threads_with_streams_of_their_own_break_no_rule() {
    let run = || {
        let context = Shared::new(current());
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(move || {
                    ok!(aclrtSetCurrentContext(context.get()));
                    for _ in 0..50 {
                        let (block, pinned, stream, event) = (malloc(64), malloc_host(64), stream(), event());
                        queue_copy(block, pinned, TO_DEVICE, stream);
                        ok!(aclrtRecordEvent(event, stream));
                        ok!(aclrtSynchronizeEvent(event));
                        ok!(aclrtFree(block));
                        ok!(aclrtFreeHost(pinned));
                        ok!(aclrtDestroyEvent(event));
                        ok!(aclrtDestroyStream(stream));
                    }
                });
            }
        });
        ok!(aclrtResetDevice(0));
        ok!(aclFinalize());
    };
    assert_eq!(broken(run), []);
}

/// Threads that each do this many times over.
fn at_once(rounds: usize, round: impl Fn() + Sync) {
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..rounds).for_each(|_| round()));
        }
    });
}

#[test]
fn what_is_made_where_another_thread_has_just_ended_something_breaks_no_rule() {
    let run = || {
        let default = Shared::new(current());
        at_once(500, || {
            ok!(aclrtSetCurrentContext(default.get()));
            let own = context(0);
            let (block, pinned, stream, event) = (malloc(64), malloc_host(64), stream(), event());
            ok!(aclrtSynchronizeStream(stream));
            ok!(aclrtFree(block));
            ok!(aclrtFreeHost(pinned));
            ok!(aclrtDestroyEvent(event));
            ok!(aclrtDestroyStream(stream));
            ok!(aclrtDestroyContext(own));
        });
        ok!(aclrtResetDevice(0));
        ok!(aclFinalize());
    };
    assert_eq!(broken_on(Config::new().reuse_handles(true), run), []);
}

#[test]
fn threads_that_set_and_reset_one_device_break_no_rule() {
    let run = || {
        ok!(aclrtResetDevice(0));
        at_once(500, || {
            ok!(aclrtSetDevice(0));
            let (block, stream, event) = (malloc(64), stream(), event());
            ok!(aclrtFree(block));
            ok!(aclrtDestroyEvent(event));
            ok!(aclrtDestroyStream(stream));
            ok!(aclrtResetDevice(0));
        });
        ok!(aclFinalize());
    };
    assert_eq!(broken(run), []);
}

// SAFETY: part of POSIX.
unsafe extern "C" {
    safe fn pthread_self() -> usize;
}

/// The number of a thread that reports when it is told to, the sender that tells it, and the thread.
pub(crate) fn reporter(reports: impl FnOnce() + Send + 'static) -> (u64, mpsc::Sender<()>, thread::JoinHandle<()>) {
    let ((tell, told), (subscribe, subscribed)) = (mpsc::channel(), mpsc::channel());
    let thread = thread::spawn(move || {
        tell.send(pthread_self() as u64).unwrap();
        // In the test of a thread that never asks, it ends here.
        if subscribed.recv().is_ok() {
            reports();
        }
    });
    (told.recv().unwrap(), subscribe, thread)
}

/// The callback would wait for ever, and the program with it.
#[test]
fn a_wait_for_a_callback_of_a_thread_that_has_ended_is_given_up_and_found() {
    unsafe extern "C" fn nothing(_: *mut std::ffi::c_void) {}
    let run = |patience, timed: bool| {
        let config = Config::new().patience(Duration::from_millis(patience));
        broken_on(config, || {
            let stream = stream();
            // It looks once, and ends.
            let (number, subscribe, reporting) = reporter(|| assert_ne!(acl!(aclrtProcessReport(5)), ACL_SUCCESS));
            ok!(aclrtSubscribeReport(number, stream));
            subscribe.send(()).unwrap();
            reporting.join().unwrap();
            let blocks = aclrtCallbackBlockType::ACL_CALLBACK_BLOCK;
            ok!(aclrtLaunchCallback(Some(nothing), std::ptr::null_mut(), blocks, stream));
            if timed {
                for _ in 0..2 {
                    let code = acl!(aclrtSynchronizeStreamWithTimeout(stream, 300));
                    assert_eq!(code, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
                }
            } else {
                assert_eq!(acl!(aclrtSynchronizeStream(stream)), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
                assert!(message().contains("a thread that has ended"));
            }
        })
    };
    assert_eq!(run(100, false), [rules::CB_05]);
    assert_eq!(run(20_000, true), [rules::CB_05]);
}

/// A program that takes another number for the one of its thread, or starts none.
#[test]
fn a_wait_for_a_callback_of_a_thread_that_never_asks_is_given_up_and_found() {
    unsafe extern "C" fn nothing(_: *mut std::ffi::c_void) {}
    let run = |asks: bool| {
        let config = Config::new().patience(Duration::from_millis(if asks { 20_000 } else { 100 }));
        broken_on(config, || {
            let stream = stream();
            let (number, subscribe, reporting) = reporter(|| ok!(aclrtProcessReport(-1)));
            ok!(aclrtSubscribeReport(if asks { number } else { 7 }, stream));
            let blocks = aclrtCallbackBlockType::ACL_CALLBACK_BLOCK;
            ok!(aclrtLaunchCallback(Some(nothing), std::ptr::null_mut(), blocks, stream));
            if asks {
                subscribe.send(()).unwrap();
                sync(stream);
                reporting.join().unwrap();
            } else {
                assert_eq!(acl!(aclrtSynchronizeStream(stream)), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
                assert!(message().contains("a thread that never calls aclrtProcessReport"), "{}", message());
            }
        })
    };
    assert_eq!(run(true), []);
    assert_eq!(run(false), [rules::CB_05]);
}

/// The worker has memory and lets the library give it more, and the main thread tears everything down meanwhile.
#[test]
fn a_teardown_under_a_worker_that_goes_on_is_one_mistake() {
    let run = |joins: bool, checks: Checks| {
        found_with(checks, || {
            let (context, (begun, has_begun), (go_on, goes_on)) =
                (Shared::new(current()), mpsc::channel(), mpsc::channel());
            let worker = thread::spawn(move || {
                ok!(aclrtSetCurrentContext(context.get()));
                let first = malloc(64);
                begun.send(()).unwrap();
                goes_on.recv().unwrap();
                acl!(aclrtFree(first));
                for _ in 0..2 {
                    let mut block = std::ptr::null_mut();
                    acl!(aclrtMalloc(&mut block, 64, aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST));
                    acl!(aclrtFree(block));
                }
            });
            has_begun.recv().unwrap();
            let ends = || {
                acl!(aclrtResetDevice(0));
                ok!(aclFinalize());
            };
            if !joins {
                ends();
            }
            go_on.send(()).unwrap();
            worker.join().unwrap();
            if joins {
                ends();
            }
        })
    };
    for checks in [Checks::Report, Checks::Strict] {
        assert_eq!(run(false, checks), [(rules::MEM_12, "aclrtResetDevice")], "{checks:?}");
        assert_eq!(run(true, checks), [], "{checks:?}");
    }
}
