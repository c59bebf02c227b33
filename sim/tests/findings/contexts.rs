//! Contexts, devices and their end.

use crate::support::*;

#[test]
fn a_stream_of_another_context_is_found() {
    let run = |back: bool| {
        let (own, stream) = (current(), stream());
        context(0);
        if back {
            ok!(aclrtSetCurrentContext(own));
        }
        let block = malloc(64);
        acl!(aclrtMemsetAsync(block, 64, 0, 64, stream));
    };
    breaks_without(rules::STREAM_09, run);
}

#[test]
fn an_event_of_another_device_is_found() {
    let run = |same: bool| {
        let created = event();
        ok!(aclrtSetDevice(1));
        let event = if same { event() } else { created };
        acl!(aclrtRecordEvent(event, stream()));
    };
    breaks_without(rules::EVENT_07, run);
}

#[test]
fn a_context_that_is_destroyed_while_it_is_current_elsewhere_is_found() {
    let run = |kept: bool| {
        let context = context(0);
        let shared = Shared::new(context);
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let (ready, chosen) = std::sync::mpsc::channel::<()>();
        let worker = std::thread::spawn(move || {
            ok!(aclrtSetCurrentContext(shared.get()));
            ready.send(()).unwrap();
            wait.recv().unwrap();
            let mut address = std::ptr::null_mut();
            let answer = acl!(aclrtMalloc(&mut address, 64, aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST));
            ok!(aclrtSetDevice(0));
            answer
        });
        chosen.recv().unwrap();
        if !kept {
            ok!(aclrtDestroyContext(context));
        }
        go.send(()).unwrap();
        assert_eq!(worker.join().unwrap() == ACL_SUCCESS, kept);
    };
    assert_eq!(broken_by(|| run(false)), [(rules::CTX_11, "aclrtDestroyContext")]);
    assert_eq!(broken_by(|| run(true)), []);
}

/// A reset by force leaves contexts. They could not be ended, so they are not missed at a later reset either.
#[test]
fn a_context_that_a_reset_by_force_left_is_not_missed_at_a_later_reset() {
    let run = |later: bool| {
        let left = context(0);
        ok!(aclrtResetDeviceForce(0));
        ok!(aclrtSetDevice(0));
        if later {
            context(0);
        }
        ok!(aclrtResetDevice(0));
        ok!(aclrtDestroyContext(left));
    };
    assert_eq!(broken_by(|| run(false)), []);
    assert_eq!(broken_by(|| run(true)), [(rules::DEV_10, "aclrtResetDevice")]);
}

#[test]
fn a_context_that_is_current_on_a_thread_that_ends_is_found() {
    breaks_without(rules::CTX_14, |left| {
        let context = context(0);
        let shared = Shared::new(context);
        std::thread::spawn(move || {
            ok!(aclrtSetCurrentContext(shared.get()));
            if left {
                ok!(aclrtSetDevice(0));
            }
        })
        .join()
        .unwrap();
        ok!(aclrtDestroyContext(context));
    });
}

#[test]
fn the_default_context_is_not_destroyed() {
    let misuse = || assert_eq!(acl!(aclrtDestroyContext(current())), ACL_ERROR_RT_CONTEXT_NULL);
    breaks(rules::CTX_02, misuse, || ok!(aclrtDestroyContext(context(0))));
}

#[test]
fn what_is_left_on_a_device_is_found() {
    breaks_without(rules::DEV_02, |destroyed| {
        let stream = stream();
        if destroyed {
            ok!(aclrtDestroyStream(stream));
        }
        ok!(aclrtResetDevice(0));
    });
    breaks_without(rules::DEV_10, |destroyed| {
        let event = event();
        if destroyed {
            ok!(aclrtDestroyEvent(event));
        }
        ok!(aclrtResetDevice(0));
    });
    breaks_without(rules::MEM_12, |freed| {
        let block = malloc(64);
        if freed {
            ok!(aclrtFree(block));
        }
        ok!(aclrtResetDevice(0));
    });
}

#[test]
fn a_whole_program_that_keeps_the_rules_breaks_none() {
    let run = || {
        let (block, pinned, stream, event) = (malloc(64), malloc_host(64), stream(), event());
        let other = stream_of_a_new_context();
        queue_copy(block, pinned, TO_DEVICE, other.1);
        sync(other.1);
        ok!(aclrtDestroyStream(other.1));
        ok!(aclrtDestroyContext(other.0));
        ok!(aclrtSetDevice(0));
        queue_copy(block, pinned, TO_DEVICE, stream);
        ok!(aclrtRecordEvent(event, stream));
        ok!(aclrtStreamWaitEvent(aclrtStream::NULL, event));
        queue_copy(pinned, block, TO_HOST, aclrtStream::NULL);
        ok!(aclrtSynchronizeDevice());
        ok!(aclrtDestroyEvent(event));
        ok!(aclrtDestroyStream(stream));
        ok!(aclrtFree(block));
        ok!(aclrtFreeHost(pinned));
        ok!(aclrtResetDevice(0));
        ok!(aclrtResetDevice(0));
        ok!(aclFinalize());
    };
    assert_eq!(broken(run), []);
}

fn stream_of_a_new_context() -> (aclrtContext, aclrtStream) {
    let context = context(0);
    (context, stream())
}

/// A context that is destroyed takes its streams along. The program destroys them first.
#[test]
fn a_context_is_destroyed_after_its_streams() {
    let run = |destroyed: bool| {
        broken_by(|| {
            let (context, stream) = (context(0), stream());
            if destroyed {
                ok!(aclrtDestroyStream(stream));
            }
            ok!(aclrtDestroyContext(context));
        })
    };
    assert_eq!(run(true), []);
    assert_eq!(run(false), [(rules::CTX_10, "aclrtDestroyContext")]);
}

#[test]
fn a_stream_that_is_destroyed_after_a_reset_by_force_is_one_finding() {
    let run = |late: bool| {
        broken_by(|| {
            let stream = stream();
            if !late {
                ok!(aclrtDestroyStream(stream));
            }
            ok!(aclrtResetDeviceForce(0));
            if late {
                assert_ne!(acl!(aclrtDestroyStream(stream)), 0);
            }
        })
    };
    assert_eq!(run(false), []);
    assert_eq!(run(true), [(rules::DEV_04, "aclrtDestroyStream")]);
}
