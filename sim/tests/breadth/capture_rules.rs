//! What a capture forbids, and how its misuse ends.

use crate::capture::*;
use crate::support::*;
use crate::world::*;
use ascendcl_macros::proves;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use std::ptr::null_mut;
use std::thread;

const CAPTURED: i32 = ACL_ERROR_RT_STREAM_CAPTURED;
const BROKEN: i32 = ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED;

/// The end of a capture that a forbidden call broke.
fn broken(stream: aclrtStream) {
    let mut instance = aclmdlRI::NULL;
    fails!(BROKEN, "broken off", model_instance::aclmdlRICaptureEnd(stream, &mut instance));
    assert!(instance.is_null());
    synchronize(stream);
}

fn status(stream: aclrtStream) -> (u32, aclmdlRI) {
    let (mut status, mut instance) = (aclmdlRICaptureStatus(9), aclmdlRI::NULL);
    ok!(model_instance::aclmdlRICaptureGetInfo(stream, &mut status, &mut instance));
    (status.0, instance)
}

#[test]
fn a_stream_that_cannot_be_captured_is_not_being_captured() {
    let _world = world();
    let mut scheduled = aclrtStream::NULL;
    let flag = ascendcl_sys::constants::ACL_STREAM_CPU_SCHEDULE;
    ok!(stream::aclrtCreateStreamWithConfig(&mut scheduled, 0, flag));
    let (refused, mut instance) = (ACL_ERROR_RT_INTERNAL_ERROR, aclmdlRI::NULL);
    fails!(refused, "cannot be captured", model_instance::aclmdlRICaptureBegin(scheduled, GLOBAL));
    fails!(refused, "cannot be captured", model_instance::aclmdlRICaptureEnd(scheduled, &mut instance));
    assert!(instance.is_null());
}

#[test]
#[proves(GRAPH_01)]
fn begin_and_end_pair_on_one_stream() {
    let _world = world();
    let (origin, side, fork, mut instance) = (stream(), stream(), event(), aclmdlRI::NULL);
    let none = ACL_ERROR_RT_STREAM_NOT_CAPTURED;
    fails!(none, "not being captured", model_instance::aclmdlRICaptureEnd(origin, &mut instance));
    begin(origin);
    fails!(CAPTURED, "already", model_instance::aclmdlRICaptureBegin(origin, GLOBAL));
    fails!(none, "not being captured", model_instance::aclmdlRICaptureEnd(side, &mut instance));
    ok!(event::aclrtRecordEvent(fork, origin));
    ok!(event::aclrtStreamWaitEvent(side, fork));
    let unmatched = ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED;
    fails!(unmatched, "began on another one", model_instance::aclmdlRICaptureEnd(side, &mut instance));
    let refused = ACL_ERROR_RT_PARAM_INVALID;
    fails!(refused, "null", model_instance::aclmdlRICaptureEnd(origin, null_mut()));
    let unjoined = ACL_ERROR_RT_STREAM_UNJOINED;
    fails!(unjoined, "did not wait for", model_instance::aclmdlRICaptureEnd(origin, &mut instance));
    fails!(none, "not being captured", model_instance::aclmdlRICaptureEnd(origin, &mut instance));
    fails!(refused, "capture mode 3", model_instance::aclmdlRICaptureBegin(origin, aclmdlRICaptureMode(3)));
}

#[test]
#[proves(GRAPH_02)]
fn only_a_relaxed_capture_ends_on_another_thread() {
    let _world = world();
    let context = context().0.addr();
    for (mode, expected) in [(LOCAL, ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD), (RELAXED, 0)] {
        let stream = stream();
        ok!(model_instance::aclmdlRICaptureBegin(stream, mode));
        let number = stream.0.addr();
        let elsewhere = thread::spawn(move || {
            ok!(device::aclrtSetCurrentContext(aclrtContext(core::ptr::without_provenance_mut(context))));
            let stream = aclrtStream(core::ptr::without_provenance_mut(number));
            let mut instance = aclmdlRI::NULL;
            call!(model_instance::aclmdlRICaptureEnd(stream, &mut instance))
        });
        assert_eq!(elsewhere.join().unwrap(), expected);
        assert_eq!(status(stream).0, 0, "the capture is over, one way or the other");
    }
}

#[test]
#[proves(GRAPH_03)]
fn the_default_stream_takes_part_in_no_capture() {
    let _world = world();
    let implicit = ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT;
    let null = ACL_ERROR_INVALID_PARAM;
    fails!(null, "stream is null", model_instance::aclmdlRICaptureBegin(aclrtStream::NULL, GLOBAL));
    let mut default = aclrtStream::NULL;
    ok!(stream::aclrtCtxGetCurrentDefaultStream(&mut default));
    let refused = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    fails!(refused, "default stream", model_instance::aclmdlRICaptureBegin(default, GLOBAL));
    let (stream, event) = (stream(), event());
    begin(stream);
    ok!(event::aclrtRecordEvent(event, stream));
    fails!(implicit, "default stream", event::aclrtStreamWaitEvent(aclrtStream::NULL, event));
    end(stream);
}

#[test]
#[proves(GRAPH_04)]
fn waiting_for_a_captured_stream_or_asking_for_it_is_refused_and_the_capture_goes_on() {
    let _world = world();
    let (stream, event) = (stream(), event());
    let forbidden: [(i32, &dyn Fn() -> i32); 8] = [
        (CAPTURED, &|| call!(stream::aclrtSynchronizeStream(stream))),
        (CAPTURED, &|| call!(stream::aclrtSynchronizeStreamWithTimeout(stream, 10))),
        (CAPTURED, &|| call!(stream::aclrtStreamQuery(stream, &mut aclrtStreamStatus(0)))),
        (ACL_ERROR_RT_FEATURE_NOT_SUPPORT, &|| call!(stream::aclrtStreamAbort(stream))),
        (CAPTURED, &|| call!(device::aclrtSynchronizeDevice())),
        (ACL_ERROR_RT_EVENT_CAPTURED, &|| call!(event::aclrtSynchronizeEvent(event))),
        (ACL_ERROR_RT_EVENT_CAPTURED, &|| call!(event::aclrtQueryEventStatus(event, &mut aclrtEventRecordedStatus(0)))),
        (ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT, &|| {
            let mut bytes = [0_u8; 4];
            let place = device_memory(4);
            call!(copy::aclrtMemcpy(bytes.as_mut_ptr().cast(), 4, place, 4, TO_HOST))
        }),
    ];
    for (index, (code, call)) in forbidden.iter().enumerate() {
        begin(stream);
        ok!(event::aclrtRecordEvent(event, stream));
        let (active, instance) = status(stream);
        assert_eq!((active, instance.is_null()), (1, false));
        assert_eq!(call(), *code, "call {index}: {}", text());
        assert_eq!(status(stream), (1, instance));
        let place = device_memory(4);
        ok!(copy::aclrtMemsetAsync(place, 4, 0, 4, stream));
        assert_eq!(end(stream), instance);
        assert_eq!(status(stream), (0, aclmdlRI::NULL));
    }
}

#[test]
fn a_relaxed_capture_and_a_relaxed_thread_allow_synchronous_copies() {
    let _world = world();
    let (stream, place) = (stream(), device_memory(4));
    let set = || call!(copy::aclrtMemset(place, 4, 1, 4));
    let unsafe_now = ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT;
    let from_another_thread = || {
        let (context, place) = (context().0.addr(), place.addr());
        let elsewhere = thread::spawn(move || {
            ok!(device::aclrtSetCurrentContext(aclrtContext(core::ptr::without_provenance_mut(context))));
            call!(copy::aclrtMemset(core::ptr::with_exposed_provenance_mut(place), 4, 1, 4))
        });
        elsewhere.join().unwrap()
    };
    let _ = place.expose_provenance();

    ok!(model_instance::aclmdlRICaptureBegin(stream, RELAXED));
    assert_eq!((set(), from_another_thread()), (0, 0));
    end(stream);
    ok!(model_instance::aclmdlRICaptureBegin(stream, LOCAL));
    assert_eq!((from_another_thread(), set()), (0, unsafe_now));
    end(stream);
    ok!(model_instance::aclmdlRICaptureBegin(stream, GLOBAL));
    assert_eq!(from_another_thread(), unsafe_now);
    end(stream);

    let mut mode = RELAXED;
    ok!(model_instance::aclmdlRICaptureThreadExchangeMode(&mut mode));
    assert_eq!(mode, GLOBAL);
    ok!(model_instance::aclmdlRICaptureBegin(stream, GLOBAL));
    assert_eq!(set(), 0);
    end(stream);
    ok!(model_instance::aclmdlRICaptureThreadExchangeMode(&mut mode));
    assert_eq!(mode, RELAXED);
    let null = ACL_ERROR_INVALID_PARAM;
    fails!(null, "null", model_instance::aclmdlRICaptureThreadExchangeMode(null_mut()));
    fails!(
        ACL_ERROR_RT_PARAM_INVALID,
        "mode 7",
        model_instance::aclmdlRICaptureThreadExchangeMode(&mut aclmdlRICaptureMode(7))
    );
}

#[test]
#[proves(GRAPH_05)]
fn a_captured_copy_needs_pinned_memory() {
    let _world = world();
    let (captured, other, place, mut bytes) = (stream(), stream(), device_memory(4), [0_u8; 4]);
    begin(captured);
    let from = bytes.as_mut_ptr().cast();
    let refused = ACL_ERROR_RT_PARAM_INVALID;
    fails!(refused, "not pinned", copy::aclrtMemcpyAsync(place, 4, from, 4, TO_DEVICE, captured));
    let blocks = ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC;
    fails!(blocks, "captured meanwhile", copy::aclrtMemcpyAsync(place, 4, from, 4, TO_DEVICE, other));
    end(captured);
    ok!(copy::aclrtMemcpyAsync(place, 4, from, 4, TO_DEVICE, other));
}

#[test]
#[proves(GRAPH_06)]
fn a_stream_that_took_part_leads_back_to_the_first() {
    let _world = world();
    let (origin, side, log) = (stream(), stream(), Log::default());
    let (fork, join) = (event(), event());
    let mut instance = aclmdlRI::NULL;
    let unjoined = ACL_ERROR_RT_STREAM_UNJOINED;
    for late in [false, true] {
        begin(origin);
        ok!(event::aclrtRecordEvent(fork, origin));
        ok!(event::aclrtStreamWaitEvent(side, fork));
        log.add(side, 1);
        if late {
            ok!(event::aclrtRecordEvent(join, side));
            ok!(event::aclrtStreamWaitEvent(origin, join));
            log.add(side, 2);
        }
        fails!(unjoined, "did not wait for", model_instance::aclmdlRICaptureEnd(origin, &mut instance));
        assert!(instance.is_null());
        synchronize(side);
    }

    begin(origin);
    ok!(event::aclrtRecordEvent(fork, origin));
    ok!(event::aclrtStreamWaitEvent(side, fork));
    fails!(unjoined, "did not wait for", model_instance::aclmdlRICaptureEnd(origin, &mut instance));

    let outside = event();
    ok!(event::aclrtRecordEvent(outside, side));
    begin(origin);
    let code = ACL_ERROR_RT_CAPTURE_DEPENDENCY;
    fails!(code, "outside of its capture", event::aclrtStreamWaitEvent(origin, outside));
    end(origin);

    begin(origin);
    ok!(event::aclrtRecordEvent(fork, origin));
    begin(side);
    fails!(ACL_ERROR_STREAM_CAPTURE_CONFLICT, "two captures", event::aclrtStreamWaitEvent(side, fork));
    assert_eq!((status(side).0, status(origin).0), (1, 1), "nobody is told before the end");
    broken(side);
    broken(origin);
}

#[test]
#[proves(STREAM_18)]
fn a_stream_that_is_captured_cannot_be_destroyed() {
    let _world = world();
    let stream = stream();
    begin(stream);
    fails!(CAPTURED, "destroyed", stream::aclrtDestroyStream(stream));
    end(stream);
    ok!(stream::aclrtDestroyStream(stream));
}

#[test]
#[proves(GRAPH_07)]
fn an_instance_is_destroyed_once_and_its_run_goes_on() {
    let _world = world();
    let (stream, log) = (stream(), Log::default());
    begin(stream);
    let (_, early) = status(stream);
    fails!(CAPTURED, "being captured", model_instance::aclmdlRIExecuteAsync(early, stream));
    let captured = ACL_ERROR_RT_MODEL_CAPTURED;
    fails!(captured, "still being captured", model_instance::aclmdlRIDestroy(early));
    log.add(stream, 1);
    let instance = end(stream);
    assert_eq!(instance, early);
    let (open, opened) = std::sync::mpsc::channel::<()>();
    launch(stream, move || {
        let _ = opened.recv();
    });
    ok!(model_instance::aclmdlRIExecuteAsync(instance, stream));
    ok!(model_instance::aclmdlRIDestroy(instance));
    drop(open);
    synchronize(stream);
    assert_eq!(log.take(), [1], "the run that was queued took place");
    let gone = ACL_ERROR_RT_INVALID_HANDLE;
    fails!(gone, "live model instance", model_instance::aclmdlRIDestroy(instance));
    fails!(gone, "live model instance", model_instance::aclmdlRIExecuteAsync(instance, stream));
    fails!(ACL_ERROR_INVALID_PARAM, "null", model_instance::aclmdlRIDestroy(aclmdlRI::NULL));
}

#[test]
fn the_end_of_the_context_ends_captures_and_instances() {
    let _world = world();
    let stream = stream();
    begin(stream);
    let instance = end(stream);
    begin(stream);
    ok!(device::aclrtResetDevice(0));
    ok!(device::aclrtSetDevice(0));
    let gone = ACL_ERROR_RT_INVALID_HANDLE;
    fails!(gone, "live model instance", model_instance::aclmdlRIDestroy(instance));
    assert_eq!(call!(copy::aclrtMemset(device_memory(4), 4, 1, 4)), 0, "no capture is left that forbids copies");
}
