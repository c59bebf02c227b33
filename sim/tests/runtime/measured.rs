//! Differences between the vendor's code and an earlier simulator, each as it was measured.

use crate::support::*;
use ascendcl_sim::control;
use ascendcl_sim::exports::{base::*, model_instance::*};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

const H2D: aclrtMemcpyKind = aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE;
const H2H: aclrtMemcpyKind = aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_HOST;

fn current() -> aclrtContext {
    let mut context = aclrtContext::NULL;
    acl!(aclrtGetCurrentContext(&mut context));
    context
}

#[test]
fn a_stream_waits_for_an_event_of_another_device() {
    let _machine = device();
    let event = event();
    ok!(aclrtRecordEvent(event, aclrtStream::NULL));
    ok!(aclrtSetDevice(1));
    let elsewhere = stream();
    ok!(aclrtStreamWaitEvent(elsewhere, event));
    ok!(aclrtSynchronizeStream(elsewhere));
}

#[test]
fn the_flags_of_an_event_are_looked_at_before_the_context_of_the_stream() {
    let _machine = device();
    let mut timed = aclrtEvent::NULL;
    ok!(aclrtCreateEventWithFlag(&mut timed, ACL_EVENT_TIME_LINE));
    let (waitable, foreign, dead) = (event(), stream(), stream());
    ok!(aclrtRecordEvent(waitable, foreign));
    ok!(aclrtDestroyStream(dead));
    context(0);
    let unsupported = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    assert_eq!(acl!(aclrtStreamWaitEvent(dead, timed)), ACL_ERROR_RT_INVALID_HANDLE);
    assert_eq!(acl!(aclrtStreamWaitEvent(foreign, timed)), unsupported);
    assert_eq!(acl!(aclrtResetEvent(timed, foreign)), unsupported);
    assert_eq!(acl!(aclrtStreamWaitEvent(foreign, waitable)), ACL_ERROR_RT_STREAM_CONTEXT);
    assert_eq!(acl!(aclrtResetEvent(waitable, foreign)), ACL_ERROR_RT_STREAM_CONTEXT);
}

#[test]
fn an_asynchronous_copy_looks_at_the_direction_after_stream_and_size_and_before_the_context_of_the_stream() {
    let _machine = device();
    let mut host = [0_u8; 64];
    let (to, from) = (malloc(64), host.as_mut_ptr().cast());
    let (dead, foreign) = (stream(), stream());
    ok!(aclrtDestroyStream(dead));
    assert_eq!(acl!(aclrtMemcpyAsync(from, 64, from, 64, H2H, dead)), ACL_ERROR_RT_INVALID_HANDLE);
    assert_eq!(acl!(aclrtMemcpyAsync(from, 1, from, 64, H2H, foreign)), ACL_ERROR_RT_PARAM_INVALID);
    assert_eq!(acl!(aclrtMemcpyAsync(to, 1, from, 64, H2D, dead)), ACL_ERROR_RT_INVALID_HANDLE);
    context(0);
    assert_eq!(acl!(aclrtMemcpyAsync(from, 64, from, 64, H2H, foreign)), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    assert_eq!(acl!(aclrtMemcpyAsync(to, 64, from, 64, H2H, foreign)), ACL_ERROR_RT_STREAM_CONTEXT);
    let from = from as usize;
    let foreign = Shared(foreign);
    let without = thread::spawn(move || {
        let from = std::ptr::with_exposed_provenance_mut(from);
        acl!(aclrtMemcpyAsync(from, 64, from, 64, H2H, foreign.get()))
    });
    assert_eq!(without.join().unwrap(), ACL_ERROR_RT_CONTEXT_NULL);
}

#[test]
fn the_reset_of_another_device_takes_the_default_context_from_the_thread() {
    let _machine = device();
    ok!(aclrtSetDevice(1));
    ok!(aclrtSetDevice(0));
    ok!(aclrtResetDevice(1));
    assert!(current().is_null(), "device 0 was not reset, and is current no more");
    ok!(aclrtSetDevice(0));
    ok!(aclrtSetDevice(1));
    let explicit = context(0);
    ok!(aclrtResetDevice(1));
    assert_eq!(current(), explicit, "a context of the caller stays");
}

#[test]
fn a_default_context_that_comes_back_is_current_on_threads_that_did_not_ask_meanwhile() {
    let _machine = device();
    let default = Shared(current());
    for asks in [false, true] {
        let (ask, asked) = mpsc::channel::<()>();
        let (tell, told) = mpsc::channel();
        let other = thread::spawn(move || {
            ok!(aclrtSetCurrentContext(default.get()));
            for () in asked {
                tell.send(acl!(aclrtSynchronizeDevice())).unwrap();
            }
        });
        let answer = || {
            ask.send(()).unwrap();
            told.recv().unwrap()
        };
        assert_eq!(answer(), 0);
        ok!(aclrtResetDevice(0));
        if asks {
            assert_eq!(answer(), ACL_ERROR_RT_CONTEXT_NULL);
        }
        ok!(aclrtSetDevice(0));
        assert_eq!(current(), default.get(), "its handle is that of before");
        assert_eq!(answer(), if asks { ACL_ERROR_RT_CONTEXT_NULL } else { 0 });
        drop(ask);
        other.join().unwrap();
    }
}

#[test]
fn a_forced_destroy_waits_for_the_callback_that_runs_and_drops_the_others() {
    let _machine = device();
    let stream = stream();
    let (ended, begun) = (Arc::new(AtomicBool::new(false)), mpsc::channel());
    let done = Arc::clone(&ended);
    launch(stream, move || {
        begun.0.send(()).unwrap();
        // The destroy has begun when the stream can no longer be found.
        while control::live().streams > 0 {
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis(50));
        done.store(true, SeqCst);
    });
    begun.1.recv().unwrap();
    let block = malloc(64);
    ok!(aclrtMemset(block, 64, 3, 64));
    ok!(aclrtMemsetAsync(block, 64, 1, 64, stream));
    ok!(aclrtDestroyStreamForce(stream));
    assert!(ended.load(SeqCst), "the callback was over when the call returned");
    assert_eq!(read(block, 64), [3; 64], "what had not begun did not run");
    assert_eq!(acl!(aclrtDestroyStreamForce(stream)), ACL_ERROR_RT_INVALID_HANDLE);
}

#[test]
fn a_time_limit_of_0_is_none_for_a_stream_that_waits() {
    let _machine = device();
    let (first, second, event) = (stream(), stream(), event());
    let (release, released) = mpsc::channel::<()>();
    launch(first, move || released.recv().unwrap());
    ok!(aclrtRecordEvent(event, first));
    ok!(aclrtStreamWaitEventWithTimeout(second, event, 0));
    assert_eq!(acl!(aclrtSynchronizeStreamWithTimeout(second, 20)), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    release.send(()).unwrap();
    ok!(aclrtSynchronizeStream(second));
}

#[test]
fn small_codes_are_those_of_the_vendor() {
    let _machine = device();
    let mut value = 0;
    assert_eq!(
        acl!(aclrtGetDeviceInfo(9, aclrtDevAttr::ACL_DEV_ATTR_AICORE_CORE_NUM, &mut value)),
        ACL_ERROR_RT_PARAM_INVALID
    );
    assert_eq!([aclDataType::ACL_INT4, aclDataType::ACL_UINT1].map(|ty| acl!(aclDataTypeSize(ty))), [1, 1]);
    let without_size = [aclDataType::ACL_STRING, aclDataType::ACL_DT_UNDEFINED];
    assert_eq!(without_size.map(|ty| acl!(aclDataTypeSize(ty))), [0, 0]);
    assert_eq!([14, 38, 41, 99, -2].map(|number| acl!(aclDataTypeSize(aclDataType(number)))), [8; 5]);
    ok!(aclrtSetStreamFailureMode(stream(), 9));
}

#[test]
fn a_wait_that_a_capture_refuses_leaves_the_capture_whole() {
    let _machine = device();
    let (captured, outside, event) = (stream(), stream(), event());
    ok!(aclrtRecordEvent(event, outside));
    ok!(aclmdlRICaptureBegin(captured, aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    assert_eq!(acl!(aclrtStreamWaitEvent(captured, event)), ACL_ERROR_RT_CAPTURE_DEPENDENCY);
    let mut instance = aclmdlRI::NULL;
    ok!(aclmdlRICaptureEnd(captured, &mut instance));
    assert!(!instance.is_null());
    ok!(aclmdlRIExecuteAsync(instance, captured));
    ok!(aclrtSynchronizeStream(captured));
    ok!(aclmdlRIDestroy(instance));
}

#[test]
fn a_context_that_is_current_on_a_thread_that_ends_is_never_freed() {
    let _machine = device();
    for leaves in [true, false] {
        let (tell, told) = mpsc::channel();
        thread::spawn(move || {
            ok!(aclrtSetDevice(1));
            let made = Shared(context(1));
            if leaves {
                ok!(aclrtSetDevice(1));
            }
            tell.send(made).unwrap();
        })
        .join()
        .unwrap();
        let made = told.recv().unwrap().get();
        assert_eq!(control::live().contexts, 1);
        ok!(aclrtDestroyContext(made));
        assert_eq!(acl!(aclrtSetCurrentContext(made)), ACL_ERROR_RT_PARAM_INVALID, "nobody can use it");
        assert_eq!(control::live().contexts, usize::from(!leaves), "it is counted as long as it is there");
    }
    ok!(aclrtResetDeviceForce(1));
    let (mut block, policy) = (null_mut(), aclrtMemMallocPolicy::ACL_MEM_MALLOC_NORMAL_ONLY);
    ok!(aclrtSetDevice(1));
    ok!(aclrtMalloc(&mut block, 64, policy));
    ok!(aclrtResetDevice(1));
    assert_eq!(control::live().device_blocks, 1, "the device stays open, and keeps its memory");
}
