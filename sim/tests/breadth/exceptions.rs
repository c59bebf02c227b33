//! Functions of the program that hear of queued work which fails.

use crate::support::*;
use crate::world::*;
use ascendcl_sim::{Plan, control};
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering::SeqCst};
use std::sync::{Mutex, PoisonError};

/// Task, stream, thread, device and code of what failed.
static HEARD: Mutex<Vec<[u32; 5]>> = Mutex::new(Vec::new());
static LAST: AtomicPtr<aclrtExceptionInfo> = AtomicPtr::new(core::ptr::null_mut());
/// What a wait for the stream answers inside.
static WAITED: AtomicU32 = AtomicU32::new(0);
static CONTEXT: AtomicPtr<core::ffi::c_void> = AtomicPtr::new(core::ptr::null_mut());
static STREAM: AtomicPtr<core::ffi::c_void> = AtomicPtr::new(core::ptr::null_mut());

fn heard() -> Vec<[u32; 5]> {
    std::mem::take(&mut *HEARD.lock().unwrap_or_else(PoisonError::into_inner))
}

fn all_of(info: *const aclrtExceptionInfo) -> [u32; 5] {
    [
        call!(callback::aclrtGetTaskIdFromExceptionInfo(info)),
        call!(callback::aclrtGetStreamIdFromExceptionInfo(info)),
        call!(callback::aclrtGetThreadIdFromExceptionInfo(info)),
        call!(callback::aclrtGetDeviceIdFromExceptionInfo(info)),
        call!(callback::aclrtGetErrorCodeFromExceptionInfo(info)),
    ]
}

unsafe extern "C" fn hear(info: *mut aclrtExceptionInfo) {
    LAST.store(info, SeqCst);
    HEARD.lock().unwrap_or_else(PoisonError::into_inner).push(all_of(info));
}

unsafe extern "C" fn hear_and_wait(info: *mut aclrtExceptionInfo) {
    let stream = aclrtStream(STREAM.load(SeqCst));
    ok!(device::aclrtSetCurrentContext(aclrtContext(CONTEXT.load(SeqCst))));
    let code = call!(stream::aclrtSynchronizeStream(stream));
    WAITED.store(code.cast_unsigned(), SeqCst);
    // SAFETY: this is the information of the call that is under way.
    unsafe { hear(info) }
}

unsafe extern "C" fn hear_and_choose(info: *mut aclrtExceptionInfo) {
    ok!(device::aclrtSetCurrentContext(aclrtContext(CONTEXT.load(SeqCst))));
    // SAFETY: this is the information of the call that is under way.
    unsafe { hear(info) }
}

fn quiet() -> World {
    let world = world();
    heard();
    world
}

fn id(stream: aclrtStream) -> u32 {
    let mut id = 0;
    ok!(stream::aclrtStreamGetId(stream, &mut id));
    id.cast_unsigned()
}

fn this_thread() -> u32 {
    let path = std::fs::read_link("/proc/thread-self").unwrap();
    path.file_name().unwrap().to_str().unwrap().parse().unwrap()
}

/// Has a task of the stream fail, the second one of a thread that is over then.
fn fail(stream: aclrtStream, held: &Held) -> u32 {
    let (context, stream, event) = (context().0.addr(), stream.0.addr(), held.event.0.addr());
    let other = std::thread::spawn(move || {
        let named = |number| core::ptr::without_provenance_mut(number);
        ok!(device::aclrtSetCurrentContext(aclrtContext(named(context))));
        launch(aclrtStream(named(stream)), || {});
        ok!(event::aclrtStreamWaitEventWithTimeout(aclrtStream(named(stream)), aclrtEvent(named(event)), 1));
        this_thread()
    });
    other.join().unwrap()
}

#[test]
fn a_failure_is_told_before_the_wait_for_it_ends_with_its_place_and_its_thread() {
    let _world = quiet();
    ok!(callback::aclrtSetExceptionInfoCallback(Some(hear)));
    let (held, stream) = (Held::elsewhere(), stream());
    launch(stream, || {});
    let thread = fail(stream, &held);
    launch(stream, || {});
    fails!(ACL_ERROR_RT_WAIT_TIMEOUT, "time limit", stream::aclrtSynchronizeStream(stream));
    let [[task, of, by, device, code]] = heard()[..] else { panic!("one failure is told once") };
    assert_eq!((of, by, device, code), (id(stream), thread, 0, ACL_ERROR_RT_WAIT_TIMEOUT.cast_unsigned()));
    assert_ne!(thread, this_thread());
    // Callbacks take three places each.
    assert_eq!(task, 7);
    assert_eq!(all_of(LAST.load(SeqCst)), [u32::MAX; 5], "the information is there for the length of the call");
    assert_eq!(all_of(core::ptr::null()), [u32::MAX; 5]);
    // The stream goes on.
    synchronize(stream);
    held.open();
}

static ASKED: Mutex<Vec<i32>> = Mutex::new(Vec::new());

unsafe extern "C" fn ask_for_the_kernel(info: *mut aclrtExceptionInfo) {
    let (mut arguments, mut length, mut function) = (core::ptr::null_mut(), 7, aclrtFuncHandle::NULL);
    let nothing: *mut core::ffi::c_void = core::ptr::null_mut();
    let codes = [
        call!(kernel::aclrtGetArgsFromExceptionInfo(info, nothing.cast(), &mut length)),
        call!(kernel::aclrtGetArgsFromExceptionInfo(info, &mut arguments, nothing.cast())),
        call!(kernel::aclrtGetArgsFromExceptionInfo(info, &mut arguments, &mut length)),
        call!(kernel::aclrtGetFuncHandleFromExceptionInfo(info, nothing.cast())),
        call!(kernel::aclrtGetFuncHandleFromExceptionInfo(info, &mut function)),
        i32::from(length != 7 || !arguments.is_null() || function != aclrtFuncHandle::NULL),
    ];
    *ASKED.lock().unwrap_or_else(PoisonError::into_inner) = codes.to_vec();
}

#[test]
fn what_fails_is_no_kernel_and_has_no_arguments_of_one() {
    let _world = quiet();
    ok!(callback::aclrtSetExceptionInfoCallback(Some(ask_for_the_kernel)));
    let (held, stream) = (Held::elsewhere(), stream());
    fail(stream, &held);
    assert_ne!(call!(stream::aclrtSynchronizeStream(stream)), 0);
    let (null, refused) = (ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_PARAM_INVALID);
    let asked = std::mem::take(&mut *ASKED.lock().unwrap_or_else(PoisonError::into_inner));
    assert_eq!(asked, [null, null, -1, null, refused, 0]);
    let nothing: *mut core::ffi::c_void = core::ptr::null_mut();
    assert_eq!(call!(kernel::aclrtGetArgsFromExceptionInfo(nothing.cast(), nothing.cast(), nothing.cast())), -1);
    assert_eq!(call!(kernel::aclrtGetFuncHandleFromExceptionInfo(nothing.cast(), nothing.cast())), -1);
    held.open();
}

#[test]
fn the_last_one_set_hears_and_each_one_registered_does_once() {
    let _world = quiet();
    ok!(callback::aclrtSetExceptionInfoCallback(Some(hear)));
    ok!(callback::aclrtSetExceptionInfoCallback(None));
    let (held, stream) = (Held::elsewhere(), stream());
    fail(stream, &held);
    assert_ne!(call!(stream::aclrtSynchronizeStream(stream)), 0);
    assert!(heard().is_empty(), "nobody listens");
    ok!(callback::aclrtExceptionInfoCallbackRegister(Some(hear)));
    ok!(callback::aclrtExceptionInfoCallbackRegister(Some(hear)));
    fail(stream, &held);
    assert_ne!(call!(stream::aclrtSynchronizeStream(stream)), 0);
    assert_eq!(heard().len(), 1);
    ok!(callback::aclrtExceptionInfoCallbackUnregister(Some(hear)));
    fail(stream, &held);
    assert_ne!(call!(stream::aclrtSynchronizeStream(stream)), 0);
    assert!(heard().is_empty());
    held.open();
}

#[test]
fn who_hears_of_a_failure_cannot_wait_for_the_stream_that_failed() {
    let _world = quiet();
    let (held, stream) = (Held::elsewhere(), stream());
    STREAM.store(stream.0, SeqCst);
    CONTEXT.store(context().0, SeqCst);
    ok!(callback::aclrtSetExceptionInfoCallback(Some(hear_and_wait)));
    fail(stream, &held);
    fails!(ACL_ERROR_RT_WAIT_TIMEOUT, "time limit", stream::aclrtSynchronizeStream(stream));
    assert_eq!(heard().len(), 1);
    assert_eq!(WAITED.load(SeqCst), ACL_ERROR_RT_FEATURE_NOT_SUPPORT.cast_unsigned());
    held.open();
}

#[test]
fn a_failure_that_stops_its_context_is_told_of_once() {
    let _world = quiet();
    ok!(callback::aclrtSetExceptionInfoCallback(Some(hear)));
    let (held, stream, other) = (Held::elsewhere(), stream(), stream());
    let mode = ascendcl_sys::constants::ACL_STOP_ON_FAILURE;
    ok!(stream::aclrtSetStreamFailureMode(stream, mode.into()));
    fail(stream, &held);
    assert_ne!(call!(stream::aclrtSynchronizeStream(stream)), 0);
    assert_ne!(call!(stream::aclrtSynchronizeStream(other)), 0);
    assert_eq!(heard().len(), 1);
    held.open();
}

#[test]
fn the_context_that_a_listener_chooses_does_not_stay_current_for_the_next_callback() {
    let _world = quiet();
    let stream = stream();
    CONTEXT.store(context().0, SeqCst);
    ok!(callback::aclrtSetExceptionInfoCallback(Some(hear_and_choose)));
    let (open, opened) = std::sync::mpsc::channel::<()>();
    launch(stream, move || {
        let _ = opened.recv();
    });
    launch(stream, || ());
    control::fail("aclrtStreamQuery=lost".parse().unwrap()).unwrap();
    let mut status = aclrtStreamStatus::ACL_STREAM_STATUS_COMPLETE;
    assert_eq!(call!(stream::aclrtStreamQuery(stream, &mut status)), ACL_ERROR_RT_LOST_HEARTBEAT);
    drop(open);
    let begun = std::time::Instant::now();
    while HEARD.lock().unwrap_or_else(PoisonError::into_inner).is_empty() {
        assert!(begun.elapsed() < std::time::Duration::from_secs(60), "nobody is told of the failure");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    control::fail(Plan::new()).unwrap();
    let (tell, told) = std::sync::mpsc::channel();
    launch(stream, move || {
        let mut current = aclrtContext::NULL;
        let code = call!(device::aclrtGetCurrentContext(&mut current));
        tell.send((code != 0 || current.0.is_null(), code)).unwrap();
    });
    let (none, code) = told.recv().unwrap();
    assert!(none, "a context is current in the callback: {code}");
    call!(stream::aclrtSynchronizeStream(stream));
}

#[test]
fn a_thread_knows_the_task_that_it_queued_last_by_the_number_that_a_failure_has() {
    let _world = quiet();
    let last = || {
        let mut task = u32::MAX;
        ok!(process::aclrtGetThreadLastTaskId(&mut task));
        task
    };
    let other = std::thread::spawn(last);
    assert_eq!(other.join().unwrap(), 0, "it has queued nothing");
    ok!(callback::aclrtSetExceptionInfoCallback(Some(hear)));
    let (held, stream) = (Held::elsewhere(), stream());
    launch(stream, || {});
    ok!(event::aclrtStreamWaitEventWithTimeout(stream, held.event, 1));
    let failing = last();
    // What the default stream is given does not count.
    launch(aclrtStream::NULL, || {});
    assert_eq!(last(), failing);
    fails!(ACL_ERROR_RT_WAIT_TIMEOUT, "time limit", stream::aclrtSynchronizeStream(stream));
    let [[task, ..]] = heard()[..] else { panic!("one failure is told once") };
    assert_eq!(task, failing);
    held.open();
}
