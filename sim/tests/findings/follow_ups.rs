//! Programs that make one mistake and go on: what follows is no further finding.

use crate::files;
use crate::support::*;
use ascendcl_sim::Config;
use ascendcl_sim::exports::model_instance::*;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

const GLOBAL: aclmdlRICaptureMode = aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;

/// A program that ends its object in the middle, where a helper does so, or at the end.
#[test]
fn what_ended_too_early_is_used_and_ended_as_one_mistake() {
    let with_stream = |early: bool| {
        broken_by(|| {
            let (block, stream) = (malloc(64), stream());
            if early {
                ok!(aclrtDestroyStream(stream));
            }
            acl!(aclrtMemsetAsync(block, 64, 1, 64, stream));
            acl!(aclrtSynchronizeStream(stream));
            acl!(aclrtDestroyStream(stream));
        })
    };
    assert_eq!(with_stream(true), [(rules::STREAM_08, "aclrtMemsetAsync")]);
    assert_eq!(with_stream(false), []);
    let with_event = |early: bool| {
        broken_by(|| {
            let (stream, event) = (stream(), event());
            if early {
                ok!(aclrtDestroyEvent(event));
            }
            acl!(aclrtRecordEvent(event, stream));
            acl!(aclrtSynchronizeEvent(event));
            acl!(aclrtDestroyEvent(event));
        })
    };
    assert_eq!(with_event(true), [(rules::EVENT_06, "aclrtRecordEvent")]);
    assert_eq!(with_event(false), []);
    let with_memory = |early: bool| {
        broken_by(|| {
            let (block, host) = (malloc(64), malloc_host(64));
            if early {
                ok!(aclrtFree(block));
            }
            acl!(aclrtMemset(block, 64, 1, 64));
            acl!(aclrtMemcpy(host, 64, block, 64, TO_HOST));
            acl!(aclrtFree(block));
        })
    };
    assert_eq!(with_memory(true), [(rules::MEM_01, "aclrtMemset")]);
    assert_eq!(with_memory(false), []);
    let with_model = |early: bool| {
        broken_by(|| {
            let (file, mut id) = (files::sum("64", None), 0);
            ok!(aclmdlLoadFromMem(file.as_ptr().cast(), file.len(), &mut id));
            if early {
                ok!(aclmdlUnload(id));
            }
            let description = acl!(aclmdlCreateDesc());
            acl!(aclmdlGetDesc(description, id));
            acl!(aclmdlUnload(id));
            ok!(aclmdlDestroyDesc(description));
        })
    };
    assert_eq!(with_model(true), [(rules::MODEL_14, "aclmdlGetDesc")]);
    assert_eq!(with_model(false), []);
}

/// Two objects that ended too early are two mistakes.
#[test]
fn what_ended_by_another_call_is_another_mistake() {
    let both = broken_by(|| {
        let (first, second) = (stream(), stream());
        ok!(aclrtDestroyStream(first));
        ok!(aclrtDestroyStream(second));
        acl!(aclrtSynchronizeStream(first));
        acl!(aclrtDestroyStream(second));
    });
    assert_eq!(both, [(rules::STREAM_08, "aclrtSynchronizeStream"), (rules::STREAM_08, "aclrtDestroyStream")]);
}

#[test]
fn a_thread_that_could_not_choose_a_context_has_none() {
    let run = |resets: bool| {
        broken_by(|| {
            let context = current();
            if resets {
                ok!(aclrtResetDevice(0));
            }
            acl!(aclrtSetCurrentContext(context));
            let mut block = null_mut();
            acl!(aclrtMalloc(&mut block, 64, aclrtMemMallocPolicy(0)));
            acl!(aclrtFree(block));
        })
    };
    assert_eq!(run(true), [(rules::CTX_06, "aclrtSetCurrentContext")]);
    assert_eq!(run(false), []);
}

/// Runs `between` while a thread has made a context current and created a stream there, and then lets it go on and end.
fn around_a_worker(enter: impl FnOnce() + Send + 'static, between: impl FnOnce(), leave: fn()) {
    let (begun, has_begun): (Sender<()>, Receiver<()>) = channel();
    let (go_on, goes_on): (Sender<()>, Receiver<()>) = channel();
    let worker = std::thread::spawn(move || {
        enter();
        let stream = stream();
        begun.send(()).unwrap();
        goes_on.recv().unwrap();
        let mut block = null_mut();
        acl!(aclrtMalloc(&mut block, 64, aclrtMemMallocPolicy(0)));
        acl!(aclrtMemsetAsync(block, 64, 1, 64, stream));
        acl!(aclrtSynchronizeStream(stream));
        acl!(aclrtFree(block));
        acl!(aclrtDestroyStream(stream));
        leave();
    });
    has_begun.recv().unwrap();
    between();
    go_on.send(()).unwrap();
    worker.join().unwrap();
}

#[test]
fn a_context_that_is_destroyed_under_a_worker_is_one_mistake() {
    let found = broken_by(|| {
        let context = Shared::new(context(0));
        let chooses = move || ok!(aclrtSetCurrentContext(context.get()));
        around_a_worker(chooses, || ok!(aclrtDestroyContext(context.get())), || {});
    });
    assert_eq!(found, [(rules::CTX_11, "aclrtDestroyContext")]);
    // Its own stream is another one.
    let own = broken_by(|| {
        let context = Shared::new(context(0));
        stream();
        let chooses = move || ok!(aclrtSetCurrentContext(context.get()));
        around_a_worker(chooses, || ok!(aclrtDestroyContext(context.get())), || {});
    });
    assert_eq!(own, [(rules::CTX_11, "aclrtDestroyContext"), (rules::CTX_10, "aclrtDestroyContext")]);
}

#[test]
fn a_device_that_is_reset_under_a_worker_is_one_mistake() {
    let run = |between: fn()| {
        broken_by(|| {
            let resets = || {
                acl!(aclrtResetDevice(0));
            };
            around_a_worker(|| ok!(aclrtSetDevice(0)), between, resets);
        })
    };
    assert_eq!(run(|| ok!(aclrtResetDeviceForce(0))), [(rules::DEV_08, "aclrtMalloc")]);
    let twice = || (0..2).for_each(|_| ok!(aclrtResetDevice(0)));
    assert_eq!(run(twice), [(rules::DEV_02, "aclrtResetDevice")]);
    assert_eq!(run(|| ok!(aclrtResetDevice(0))), []);
}

#[test]
fn a_library_that_is_finalised_under_a_worker_is_one_mistake() {
    let run = |waits: bool| {
        broken_by(|| {
            let ends = || {
                ok!(aclrtResetDevice(0));
                ok!(aclFinalize());
            };
            let between = || {
                if !waits {
                    ends();
                }
            };
            around_a_worker(|| ok!(aclrtSetDevice(0)), between, || ok!(aclrtResetDevice(0)));
            if waits {
                ends();
            }
        })
    };
    assert_eq!(run(false), [(rules::INIT_02, "aclFinalize")]);
    assert_eq!(run(true), []);
}

/// The work counts as awaited, because the wait is there.
#[test]
fn a_wait_on_a_thread_without_a_context_is_one_mistake() {
    let run = |chooses: bool, wait: fn(aclrtStream) -> aclError| {
        broken_by(|| {
            let (context, block, stream) = (Shared::new(current()), malloc(64), Shared::new(stream()));
            ok!(aclrtMemsetAsync(block, 64, 1, 64, stream.get()));
            on_a_thread(move || {
                if chooses {
                    ok!(aclrtSetCurrentContext(context.get()));
                }
                wait(stream.get());
            });
            ok!(aclrtFree(block));
            ok!(aclrtDestroyStream(stream.get()));
        })
    };
    let of_stream: fn(aclrtStream) -> aclError = |stream| acl!(aclrtSynchronizeStream(stream));
    let of_device: fn(aclrtStream) -> aclError = |_| acl!(aclrtSynchronizeDevice());
    for (wait, name) in [(of_stream, "aclrtSynchronizeStream"), (of_device, "aclrtSynchronizeDevice")] {
        assert_eq!(run(false, wait), [(rules::THREAD_01, name)]);
        assert_eq!(run(true, wait), []);
    }
}

#[test]
fn a_callback_that_calls_the_library_is_found_once_for_each_run() {
    let found = broken_by(|| {
        let stream = stream();
        launch(stream, || {
            ok!(aclrtSetDevice(0));
            let block = malloc(64);
            ok!(aclrtMemset(block, 64, 1, 64));
            ok!(aclrtFree(block));
            ok!(aclrtResetDevice(0));
        });
        launch(stream, || {
            acl!(aclrtSynchronizeStreamWithTimeout(aclrtStream::NULL, 10));
        });
        sync(stream);
    });
    assert_eq!(found, [(rules::CB_01, "aclrtMalloc"), (rules::CB_01, "aclrtSynchronizeStreamWithTimeout")]);
}

#[test]
fn callbacks_that_nobody_runs_are_one_mistake() {
    unsafe extern "C" {
        safe fn pthread_self() -> usize;
    }
    unsafe extern "C" fn nothing(_: *mut c_void) {}
    let found = broken_on(Config::new().patience(Duration::from_millis(100)), || {
        let (stream, own) = (stream(), pthread_self() as u64);
        ok!(aclrtSubscribeReport(own, stream));
        let block = aclrtCallbackBlockType::ACL_CALLBACK_BLOCK;
        ok!(aclrtLaunchCallback(Some(nothing), null_mut(), block, stream));
        assert_ne!(acl!(aclrtSynchronizeStream(stream)), 0);
        acl!(aclrtUnSubscribeReport(own, stream));
        acl!(aclrtDestroyStream(stream));
    });
    assert_eq!(found, [rules::CB_05]);
}

#[test]
fn what_is_taken_back_that_was_refused_is_no_second_mistake() {
    let allocator = broken_by(|| {
        let descriptor = acl!(aclrtAllocatorCreateDesc());
        assert_ne!(acl!(aclrtAllocatorRegister(aclrtStream::NULL, descriptor)), 0);
        assert_ne!(acl!(aclrtAllocatorUnregister(aclrtStream::NULL)), 0);
        ok!(aclrtAllocatorDestroyDesc(descriptor));
    });
    assert_eq!(allocator, [(rules::ALLOC_01, "aclrtAllocatorRegister")]);
    let alone = broken_by(|| assert_ne!(acl!(aclrtAllocatorUnregister(aclrtStream::NULL)), 0));
    assert_eq!(alone, [(rules::ALLOC_20, "aclrtAllocatorUnregister")]);
    let registered = |offset: usize| {
        broken_by(|| {
            let memory = vec![0_u8; 3 * 4096].leak().as_mut_ptr();
            let start = memory.wrapping_add(memory.align_offset(4096) + offset).cast();
            let (kind, mut device) = (aclrtHostRegisterType::ACL_HOST_REGISTER_MAPPED, null_mut());
            acl!(aclrtHostRegister(start, 4096, kind, &mut device));
            acl!(aclrtHostUnregister(start));
        })
    };
    assert_eq!(registered(64), [(rules::MEM_14, "aclrtHostRegister")]);
    assert_eq!(registered(0), []);
}

/// Fork and join of a capture by events of the older functions.
#[test]
fn a_capture_with_events_that_it_does_not_take_is_one_mistake() {
    let run = |create: fn(&mut aclrtEvent) -> aclError| {
        broken_by(|| {
            let (first, second, block) = (stream(), stream(), malloc(64));
            let (mut fork, mut join, mut instance) = (aclrtEvent::NULL, aclrtEvent::NULL, aclmdlRI::NULL);
            assert_eq!([create(&mut fork), create(&mut join)], [0, 0]);
            ok!(aclmdlRICaptureBegin(first, GLOBAL));
            acl!(aclrtRecordEvent(fork, first));
            acl!(aclrtStreamWaitEvent(second, fork));
            acl!(aclrtMemsetAsync(block, 64, 1, 64, second));
            acl!(aclrtRecordEvent(join, second));
            acl!(aclrtStreamWaitEvent(first, join));
            ok!(aclmdlRICaptureEnd(first, &mut instance));
            ok!(aclmdlRIDestroy(instance));
        })
    };
    assert_eq!(
        run(|event| acl!(aclrtCreateEventWithFlag(event, ACL_EVENT_SYNC))),
        [(rules::GRAPH_06, "aclrtRecordEvent")]
    );
    assert_eq!(run(|event| acl!(aclrtCreateEventExWithFlag(event, ACL_EVENT_SYNC))), []);
}

/// A warning hides no mistake: the bytes of a queued copy are overwritten by bytes that nobody has written.
#[test]
fn a_call_that_warns_is_judged_further() {
    let run = |waits: bool| {
        broken(|| {
            let (stream, host, block, fresh) = (stream(), malloc_host(64), malloc(64), malloc(64));
            queue_copy(block, host, TO_DEVICE, stream);
            if waits {
                sync(stream);
            }
            ok!(aclrtMemcpy(host, 64, fresh, 64, TO_HOST));
            sync(stream);
        })
    };
    assert_eq!(run(false), [rules::MEM_07, rules::COPY_04]);
    assert_eq!(run(true), [rules::MEM_07]);
}

#[test]
fn an_event_of_another_device_is_warned_of_once() {
    let found = broken_by(|| {
        let event = event();
        ok!(aclrtSetDevice(1));
        let stream = stream();
        acl!(aclrtRecordEvent(event, stream));
        acl!(aclrtStreamWaitEvent(stream, event));
    });
    assert_eq!(found, [(rules::EVENT_07, "aclrtRecordEvent")]);
}

#[test]
fn a_device_is_reset_as_often_as_it_was_set() {
    let run = |resets: usize| {
        broken_by(|| {
            ok!(aclrtSetDevice(0));
            (0..resets).for_each(|_| ok!(aclrtResetDevice(0)));
            ok!(aclFinalize());
        })
    };
    assert_eq!(run(0), [(rules::INIT_02, "aclFinalize")]);
    assert_eq!(run(1), [(rules::DEV_06, "aclFinalize")]);
    assert_eq!(run(2), []);
}

/// A guard that resets and finalises is destroyed before the objects that it guards, pinned memory among them.
#[test]
fn a_teardown_in_the_wrong_order_is_one_mistake() {
    let run = |first: bool| {
        broken_by(|| {
            let (stream, block, host, event) = (stream(), malloc(64), malloc_host(64), event());
            let guard = || {
                ok!(aclrtResetDevice(0));
                ok!(aclFinalize());
            };
            if first {
                guard();
            }
            acl!(aclrtDestroyEvent(event));
            acl!(aclrtFreeHost(host));
            acl!(aclrtFree(block));
            acl!(aclrtDestroyStream(stream));
            if !first {
                guard();
            }
        })
    };
    assert_eq!(run(true), [(rules::DEV_02, "aclrtResetDevice")]);
    assert_eq!(run(false), []);
}

/// The thread that waits is the one that records the event later.
#[test]
fn a_stream_that_waits_in_vain_and_is_waited_for_is_one_mistake() {
    let run = |early: bool| {
        broken_on(Config::new().patience(Duration::from_millis(100)), || {
            let (records, waits, block) = (stream(), stream(), malloc(64));
            let mut event = aclrtEvent::NULL;
            ok!(aclrtCreateEventWithFlag(&mut event, ACL_EVENT_SYNC));
            if !early {
                ok!(aclrtRecordEvent(event, records));
            }
            ok!(aclrtStreamWaitEvent(waits, event));
            ok!(aclrtMemsetAsync(block, 64, 1, 64, waits));
            acl!(aclrtSynchronizeStream(waits));
            ok!(aclrtMemsetAsync(block, 64, 2, 64, records));
            if early {
                ok!(aclrtRecordEvent(event, records));
            }
            sync(waits);
            sync(records);
        })
    };
    assert_eq!(run(true), [rules::EVENT_05]);
    assert_eq!(run(false), []);
}
