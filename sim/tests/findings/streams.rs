//! Streams, events, callbacks and allocators.

use crate::support::*;
use ascendcl_sim::exports::model_instance::{aclmdlRICaptureBegin, aclmdlRICaptureEnd, aclmdlRIDestroy};
use ascendcl_sim::{Checks, control};
use std::ffi::c_void;
use std::ptr::null_mut;

#[test]
fn streams_that_share_memory_are_ordered() {
    breaks_without(rules::STREAM_04, |ordered| {
        let (block, pinned, a, b, event) = (malloc(64), malloc_host(64), stream(), stream(), event());
        queue_copy(block, pinned, TO_DEVICE, a);
        ok!(aclrtRecordEvent(event, a));
        if ordered {
            ok!(aclrtStreamWaitEvent(b, event));
        }
        queue_copy(pinned, block, TO_HOST, b);
    });
}

#[test]
fn the_default_stream_waits_for_no_other() {
    breaks_without(rules::STREAM_12, |synced| {
        let (block, pinned, a) = (malloc(64), malloc_host(64), stream());
        queue_copy(block, pinned, TO_DEVICE, a);
        if synced {
            sync(a);
        }
        queue_copy(pinned, block, TO_HOST, aclrtStream::NULL);
    });
}

#[test]
fn a_stream_is_destroyed_idle_and_once() {
    breaks_without(rules::STREAM_05, |synced| {
        let stream = stream();
        ok!(aclrtMemsetAsync(malloc(64), 64, 0, 64, stream));
        if synced {
            sync(stream);
        }
        ok!(aclrtDestroyStream(stream));
    });
    breaks_without(rules::STREAM_08, |once| {
        let stream = stream();
        ok!(aclrtDestroyStream(stream));
        if !once {
            assert_eq!(acl!(aclrtDestroyStream(stream)), ACL_ERROR_RT_INVALID_HANDLE);
        }
    });
    breaks_without(rules::STREAM_02, |kept| {
        let mut default = aclrtStream::NULL;
        ok!(aclrtCtxGetCurrentDefaultStream(&mut default));
        if !kept {
            ok!(aclrtDestroyStream(default));
        }
    });
}

#[test]
fn an_event_that_nothing_recorded_orders_nothing() {
    breaks_without(rules::EVENT_05, |recorded| {
        let event = event();
        if recorded {
            ok!(aclrtRecordEvent(event, aclrtStream::NULL));
        }
        ok!(aclrtSynchronizeEvent(event));
    });
}

#[test]
fn an_event_of_the_plain_call_is_not_reset() {
    breaks_without(rules::EVENT_01, |flagged| {
        let mut event = event();
        if flagged {
            ok!(aclrtCreateEventWithFlag(&mut event, ACL_EVENT_SYNC));
        }
        ok!(aclrtRecordEvent(event, aclrtStream::NULL));
        ok!(aclrtResetEvent(event, aclrtStream::NULL));
    });
}

/// Manuals of older releases asked for the first, the library has code for the second, and programs do both.
#[test]
fn what_the_library_does_with_events_is_done_in_strict_mode_too() {
    let _machine = machine(Checks::Strict);
    ok!(aclInit(std::ptr::null()));
    ok!(aclrtSetDevice(0));
    let found = || control::take_findings().iter().map(|finding| finding.rule).collect::<Vec<_>>();
    let (here, reset, awaited) = (stream(), event(), event());
    ok!(aclrtRecordEvent(reset, here));
    ok!(aclrtResetEvent(reset, here));
    assert_eq!(found(), [rules::EVENT_01]);

    let gate = Gate::close(here);
    ok!(aclrtRecordEvent(awaited, here));
    ok!(aclrtSetDevice(1));
    let there = stream();
    ok!(aclrtStreamWaitEvent(there, awaited));
    assert_eq!(found(), [rules::EVENT_07]);
    assert_eq!(acl!(aclrtSynchronizeStreamWithTimeout(there, 100)), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    gate.open();
    sync(there);
}

#[test]
fn a_callback_calls_nothing() {
    unsafe extern "C" fn allocate(context: *mut c_void) {
        let mut address = null_mut();
        acl!(aclrtSetCurrentContext(aclrtContext(context.cast())));
        acl!(aclrtMalloc(&mut address, 64, aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST));
    }
    unsafe extern "C" fn nothing(_: *mut c_void) {}
    breaks_without(rules::CB_01, |repaired| {
        let callback = if repaired { nothing } else { allocate };
        ok!(aclrtLaunchHostFunc(aclrtStream::NULL, Some(callback), current().0.cast()));
        sync(aclrtStream::NULL);
    });
}

unsafe extern "C" fn no_block(_: aclrtAllocator, _: usize) -> *mut c_void {
    null_mut()
}
unsafe extern "C" fn no_block_near(_: aclrtAllocator, _: usize, _: *mut c_void) -> *mut c_void {
    null_mut()
}
unsafe extern "C" fn forget(_: aclrtAllocator, _: aclrtAllocatorBlock) {}
unsafe extern "C" fn no_address(_: aclrtAllocatorBlock) -> *mut c_void {
    null_mut()
}

/// A descriptor; without its free function, or without the one that allocates near an address, if so wanted.
fn descriptor(free: bool, near: bool) -> aclrtAllocatorDesc {
    let descriptor = acl!(aclrtAllocatorCreateDesc());
    ok!(aclrtAllocatorSetObjToDesc(descriptor, aclrtAllocator(std::ptr::without_provenance_mut(64))));
    ok!(aclrtAllocatorSetAllocFuncToDesc(descriptor, Some(no_block)));
    ok!(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(descriptor, Some(no_address)));
    if free {
        ok!(aclrtAllocatorSetFreeFuncToDesc(descriptor, Some(forget)));
    }
    if near {
        ok!(aclrtAllocatorSetAllocAdviseFuncToDesc(descriptor, Some(no_block_near)));
    }
    descriptor
}

#[test]
fn a_descriptor_without_a_member_is_found_though_the_registration_succeeds() {
    let register = |free, near| ok!(aclrtAllocatorRegister(stream(), descriptor(free, near)));
    breaks(rules::ALLOC_07, || register(false, true), || register(true, true));
    breaks(rules::ALLOC_17, || register(true, false), || register(true, true));
}

#[test]
fn a_destroyed_stream_or_descriptor_leaves_nothing_behind() {
    breaks_without(rules::ALLOC_16, |unregistered| {
        let stream = stream();
        ok!(aclrtAllocatorRegister(stream, descriptor(true, true)));
        if unregistered {
            ok!(aclrtAllocatorUnregister(stream));
        }
        ok!(aclrtDestroyStream(stream));
    });
    breaks_without(rules::ALLOC_08, |live| {
        let descriptor = descriptor(true, true);
        if !live {
            ok!(aclrtAllocatorDestroyDesc(descriptor));
        }
        ok!(aclrtAllocatorRegister(stream(), descriptor));
    });
}

#[test]
fn asking_for_the_allocator_of_a_stream_that_has_none_is_a_warning() {
    let ask = |registered: bool| {
        let stream = stream();
        if registered {
            ok!(aclrtAllocatorRegister(stream, descriptor(true, true)));
        }
        let (mut found, mut object) = (aclrtAllocatorDesc::NULL, aclrtAllocator::NULL);
        let (mut take, mut give, mut near, mut address) = (None, None, None, None);
        let code = acl!(aclrtAllocatorGetByStream(
            stream,
            &mut found,
            &mut object,
            &mut take,
            &mut give,
            &mut near,
            &mut address
        ));
        assert_eq!(code == 0, registered);
        if registered {
            ok!(aclrtAllocatorUnregister(stream));
        } else {
            // Nothing follows from the question: a further mistake with the stream is told.
            let mut graph = aclmdlRI::NULL;
            acl!(aclmdlRICaptureEnd(stream, &mut graph));
        }
    };
    assert_eq!(rules::ALLOC_21.severity(), rules::Severity::Warning);
    assert_eq!(broken(|| ask(true)), []);
    assert_eq!(broken(|| ask(false)), [rules::ALLOC_21, rules::GRAPH_01]);
}

#[test]
fn notifies_and_values_order_streams_in_ways_that_only_they_know() {
    const ROUNDS: u64 = 3;
    let by_notify = |waits_first: bool| {
        let (block, pinned, a, b) = (malloc(64), malloc_host(64), stream(), stream());
        let mut notify = aclrtNotify::NULL;
        ok!(aclrtCreateNotify(&mut notify, 0));
        let consume = || {
            ok!(aclrtWaitAndResetNotify(notify, b, 0));
            queue_copy(pinned, block, TO_HOST, b);
        };
        for _ in 0..ROUNDS {
            waits_first.then(consume);
            queue_copy(block, pinned, TO_DEVICE, a);
            ok!(aclrtRecordNotify(notify, a));
            (!waits_first).then(consume);
            sync(b);
        }
        ok!(aclrtDestroyNotify(notify));
        ok!(aclrtFree(block));
    };
    assert_eq!(broken(|| by_notify(false)), []);
    assert_eq!(broken(|| by_notify(true)), []);
    let by_value = || {
        let (block, pinned, flag, a, b) = (malloc(64), malloc_host(64), malloc(8), stream(), stream());
        ok!(aclrtMemset(flag, 8, 0, 8));
        for round in 1..=ROUNDS {
            queue_copy(block, pinned, TO_DEVICE, a);
            ok!(aclrtValueWrite(flag, round, 0, a));
            ok!(aclrtValueWait(flag, round, 0, b));
            queue_copy(pinned, block, TO_HOST, b);
            sync(b);
        }
    };
    assert_eq!(broken(by_value), []);
    // A stream that waits for nothing is as unordered as before.
    breaks_without(rules::STREAM_04, |waits| {
        let (block, pinned, a, b) = (malloc(64), malloc_host(64), stream(), stream());
        let mut notify = aclrtNotify::NULL;
        ok!(aclrtCreateNotify(&mut notify, 0));
        queue_copy(block, pinned, TO_DEVICE, a);
        ok!(aclrtRecordNotify(notify, a));
        if waits {
            ok!(aclrtWaitAndResetNotify(notify, b, 0));
        }
        queue_copy(pinned, block, TO_HOST, b);
    });
}

#[test]
fn a_notify_that_is_left_or_destroyed_twice_is_found() {
    let made = || {
        let mut notify = aclrtNotify::NULL;
        ok!(aclrtCreateNotify(&mut notify, 0));
        notify
    };
    let run = |clean: bool| {
        let (notify, stream) = (made(), stream());
        ok!(aclrtRecordNotify(notify, stream));
        ok!(aclrtWaitAndResetNotify(notify, stream, 0));
        sync(stream);
        ok!(aclrtDestroyStream(stream));
        if clean {
            ok!(aclrtDestroyNotify(notify));
        }
        ok!(aclrtResetDevice(0));
        ok!(aclFinalize());
    };
    breaks_without(rules::INIT_02, run);

    let twice = || {
        let notify = made();
        ok!(aclrtDestroyNotify(notify));
        assert_eq!(acl!(aclrtDestroyNotify(notify)), ACL_ERROR_RT_INVALID_HANDLE);
    };
    assert_eq!(broken(twice), [rules::DATA_05]);
}

/// Calls look at the stream before anything else, and some fail for it before the checker hears of them.
#[test]
fn whatever_uses_a_stream_after_its_end_is_named() {
    let uses: [(&str, fn(aclrtStream, *mut c_void) -> aclError); 6] = [
        ("a fill", |stream, block| acl!(aclrtMemsetAsync(block, 64, 0, 64, stream))),
        ("a copy", |stream, block| acl!(aclrtMemcpyAsync(block, 32, block, 32, ON_DEVICE, stream))),
        ("a host function", |stream, block| acl!(aclrtLaunchHostFunc(stream, Some(nothing), block))),
        ("a record", |stream, _| {
            let event = event();
            let code = acl!(aclrtRecordEvent(event, stream));
            ok!(aclrtDestroyEvent(event));
            code
        }),
        ("its id", |stream, _| acl!(aclrtStreamGetId(stream, &mut 0))),
        ("a wait", |stream, _| acl!(aclrtSynchronizeStream(stream))),
    ];
    unsafe extern "C" fn nothing(_: *mut c_void) {}
    for (what, used) in uses {
        let found = broken(|| {
            let (stream, block) = (stream(), malloc(64));
            ok!(aclrtDestroyStream(stream));
            assert_eq!(used(stream, block), ACL_ERROR_RT_INVALID_HANDLE, "{what}");
            ok!(aclrtFree(block));
        });
        assert_eq!(found, [rules::STREAM_08], "{what}");
    }
}

const RELAXED: aclmdlRICaptureMode = aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_RELAXED;

/// The library refuses both, so what the stream had is not over, and the stream is there afterwards.
#[test]
fn a_stream_that_is_captured_is_neither_waited_for_nor_ended() {
    let captured = |stream, code: fn(aclrtStream) -> aclError| {
        let mut graph = aclmdlRI::NULL;
        ok!(aclmdlRICaptureBegin(stream, RELAXED));
        assert_eq!(code(stream), ACL_ERROR_RT_STREAM_CAPTURED);
        ok!(aclmdlRICaptureEnd(stream, &mut graph));
        ok!(aclmdlRIDestroy(graph));
    };
    let freed = |waited| {
        let (stream, block, pinned) = (stream(), malloc(64), malloc_host(64));
        queue_copy(block, pinned, TO_DEVICE, stream);
        captured(stream, |stream| acl!(aclrtSynchronizeStream(stream)));
        if waited {
            sync(stream);
        }
        ok!(aclrtFree(block));
    };
    assert_eq!(broken(|| freed(false)), [rules::GRAPH_04, rules::MEM_02]);
    assert_eq!(broken(|| freed(true)), [rules::GRAPH_04]);
    let run = || {
        let stream = stream();
        captured(stream, |stream| acl!(aclrtDestroyStream(stream)));
        sync(stream);
        ok!(aclrtDestroyStream(stream));
    };
    assert_eq!(broken(run), [rules::STREAM_18]);
}

#[test]
fn a_time_that_is_asked_for_without_a_wait_is_all_that_is_found_about_this_wait() {
    let run = |synced: bool| {
        broken_by(|| {
            let ([main, side], [block, pinned, other]) =
                ([stream(), stream()], [malloc(64), malloc_host(64), malloc_host(64)]);
            ok!(aclrtMemset(block, 64, 1, 64));
            let [start, end] = [(), ()].map(|()| {
                let mut event = aclrtEvent::NULL;
                ok!(aclrtCreateEventExWithFlag(&mut event, ACL_EVENT_TIME_LINE));
                event
            });
            ok!(aclrtRecordEvent(start, side));
            queue_copy(pinned, block, TO_HOST, side);
            ok!(aclrtRecordEvent(end, side));
            if synced {
                sync(side);
            }
            acl!(aclrtEventElapsedTime(&mut 0.0, start, end));
            queue_copy(block, other, TO_DEVICE, main);
            sync(main);
        })
    };
    assert_eq!(run(true), []);
    assert_eq!(run(false), [(rules::EVENT_04, "aclrtEventElapsedTime")]);
}
