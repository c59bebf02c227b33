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
    end(origin);
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
        if expected != 0 {
            end(stream);
        }
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
    fails!(implicit, "default stream", model_instance::aclmdlRICaptureBegin(default, GLOBAL));
    let (stream, event) = (stream(), event());
    begin(stream);
    ok!(event::aclrtRecordEvent(event, stream));
    fails!(implicit, "default stream", event::aclrtStreamWaitEvent(aclrtStream::NULL, event));
    end(stream);
}

#[test]
#[proves(GRAPH_04)]
fn waiting_for_a_captured_stream_or_asking_for_it_breaks_the_capture() {
    let _world = world();
    let (stream, event) = (stream(), event());
    let forbidden: [(i32, &dyn Fn() -> i32); 8] = [
        (CAPTURED, &|| call!(stream::aclrtSynchronizeStream(stream))),
        (CAPTURED, &|| call!(stream::aclrtSynchronizeStreamWithTimeout(stream, 10))),
        (CAPTURED, &|| call!(stream::aclrtStreamQuery(stream, &mut aclrtStreamStatus(0)))),
        (CAPTURED, &|| call!(stream::aclrtStreamAbort(stream))),
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
        assert_eq!(status(stream), (2, instance));
        let place = device_memory(4);
        fails!(BROKEN, "broken off", copy::aclrtMemsetAsync(place, 4, 0, 4, stream));
        broken(stream);
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
    broken(stream);
    ok!(model_instance::aclmdlRICaptureBegin(stream, GLOBAL));
    assert_eq!(from_another_thread(), unsafe_now);
    broken(stream);

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
    let (stream, place, mut bytes) = (stream(), device_memory(4), [0_u8; 4]);
    begin(stream);
    let from = bytes.as_mut_ptr().cast();
    let code = ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC;
    fails!(code, "not pinned", copy::aclrtMemcpyAsync(place, 4, from, 4, TO_DEVICE, stream));
    broken(stream);
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
    assert_ne!(call!(stream::aclrtSynchronizeStream(origin)), 0);
    fails!(BROKEN, "broken off", event::aclrtStreamWaitEvent(side, fork));
    broken(origin);
    log.take();
    log.add(side, 7);
    synchronize(side);
    assert_eq!(log.take(), [7], "the stream did not join what was broken");

    let outside = event();
    ok!(event::aclrtRecordEvent(outside, side));
    begin(origin);
    let code = ACL_ERROR_RT_CAPTURE_DEPENDENCY;
    fails!(code, "outside of its capture", event::aclrtStreamWaitEvent(origin, outside));
    broken(origin);

    begin(origin);
    ok!(event::aclrtRecordEvent(fork, origin));
    begin(side);
    fails!(ACL_ERROR_STREAM_CAPTURE_CONFLICT, "two captures", event::aclrtStreamWaitEvent(side, fork));
    end(side);
    end(origin);
}

#[test]
#[proves(STREAM_18)]
fn a_stream_that_is_captured_cannot_be_destroyed() {
    let _world = world();
    let stream = stream();
    begin(stream);
    fails!(CAPTURED, "destroyed", stream::aclrtDestroyStream(stream));
    broken(stream);
    ok!(stream::aclrtDestroyStream(stream));
}

#[test]
#[proves(GRAPH_07)]
fn an_instance_is_destroyed_once_and_not_while_it_runs() {
    let _world = world();
    let stream = stream();
    begin(stream);
    let (_, early) = status(stream);
    let captured = ACL_ERROR_RT_MODEL_CAPTURED;
    fails!(captured, "still being captured", model_instance::aclmdlRIExecuteAsync(early, stream));
    let (open, opened) = std::sync::mpsc::channel::<()>();
    launch(stream, move || {
        let _ = opened.recv();
    });
    let instance = end(stream);
    assert_eq!(instance, early);
    ok!(model_instance::aclmdlRIExecuteAsync(instance, stream));
    let running = ACL_ERROR_RT_MODEL_RUNNING;
    fails!(running, "running", model_instance::aclmdlRIDestroy(instance));
    let late = ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;
    drop(open);
    synchronize(stream);
    ok!(model_instance::aclmdlRIDestroy(instance));
    let gone = ACL_ERROR_RT_INVALID_HANDLE;
    fails!(gone, "live model instance", model_instance::aclmdlRIDestroy(instance));
    fails!(gone, "live model instance", model_instance::aclmdlRIExecuteAsync(instance, stream));
    fails!(ACL_ERROR_INVALID_PARAM, "null", model_instance::aclmdlRIDestroy(aclmdlRI::NULL));

    begin(stream);
    launch_each(stream, || thread::sleep(std::time::Duration::from_millis(200)));
    let slow = end(stream);
    fails!(late, "time limit", model_instance::aclmdlRIExecute(slow, 5));
    fails!(ACL_ERROR_RT_PARAM_INVALID, "time limit", model_instance::aclmdlRIExecute(slow, 0));
    ok!(model_instance::aclmdlRIExecute(slow, -1));
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
