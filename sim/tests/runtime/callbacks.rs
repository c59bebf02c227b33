//! Callbacks on threads that the program subscribes.

use super::support::*;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

const BLOCK: aclrtCallbackBlockType = aclrtCallbackBlockType::ACL_CALLBACK_BLOCK;
const NO_BLOCK: aclrtCallbackBlockType = aclrtCallbackBlockType::ACL_CALLBACK_NO_BLOCK;

// SAFETY: part of POSIX.
unsafe extern "C" {
    safe fn pthread_self() -> usize;
}

/// A thread that processes reports until it gets the signal to stop.
struct Reporter {
    id: u64,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

fn reporter() -> Reporter {
    let (tell, told) = mpsc::channel();
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    let thread = thread::spawn(move || {
        tell.send(pthread_self() as u64).unwrap();
        while !stopped.load(SeqCst) {
            acl!(aclrtProcessReport(5));
        }
    });
    Reporter { id: told.recv().unwrap(), stop, thread }
}

impl Reporter {
    fn end(self) {
        self.stop.store(true, SeqCst);
        self.thread.join().unwrap();
    }
}

fn call(stream: aclrtStream, kind: aclrtCallbackBlockType, code: impl FnOnce() + Send + 'static) {
    let boxed = boxed(code);
    ok!(aclrtLaunchCallback(Some(run_boxed), boxed, kind, stream));
}

#[test]
fn callbacks_run_on_the_subscribed_thread_in_order() {
    let _machine = device();
    let (stream, reporter) = (stream(), reporter());
    ok!(aclrtSubscribeReport(reporter.id, stream));
    let seen = Arc::new(AtomicUsize::new(0));
    for number in 0..100 {
        let (seen, id) = (Arc::clone(&seen), reporter.id);
        let kind = if number % 2 == 0 { BLOCK } else { NO_BLOCK };
        call(stream, kind, move || {
            assert_eq!(pthread_self() as u64, id);
            assert_eq!(seen.swap(number + 1, SeqCst), number);
        });
    }
    ok!(aclrtSynchronizeStream(stream));
    assert!(seen.load(SeqCst) >= 99);
    soon("the last callback", || seen.load(SeqCst) == 100);
    ok!(aclrtUnSubscribeReport(reporter.id, stream));
    reporter.end();
}

#[test]
fn a_blocking_callback_holds_up_its_stream_and_another_kind_does_not() {
    let _machine = device();
    let (stream, block) = (stream(), malloc(4));
    let me = pthread_self() as u64;
    ok!(aclrtSubscribeReport(me, stream));
    let filled = || read(block, 1)[0];
    call(stream, NO_BLOCK, || {});
    ok!(aclrtMemsetAsync(block, 4, 1, 4, stream));
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(filled(), 1);
    ok!(aclrtProcessReport(1000));
    call(stream, BLOCK, || {});
    ok!(aclrtMemsetAsync(block, 4, 2, 4, stream));
    assert_eq!(acl!(aclrtSynchronizeStreamWithTimeout(stream, 30)), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    assert_eq!(filled(), 1);
    ok!(aclrtProcessReport(-1));
    ok!(aclrtSynchronizeStream(stream));
    assert_eq!(filled(), 2);
    assert_eq!(acl!(aclrtProcessReport(10)), ACL_ERROR_RT_REPORT_TIMEOUT);
    assert_eq!(acl!(aclrtProcessReport(0)), ACL_ERROR_INVALID_PARAM);
}

#[test]
fn subscriptions_have_rules() {
    let _machine = device();
    let (first, second) = (stream(), stream());
    let me = pthread_self() as u64;
    let none = std::ptr::null_mut();
    assert_eq!(acl!(aclrtProcessReport(10)), ACL_ERROR_RT_THREAD_SUBSCRIBE);
    assert_eq!(acl!(aclrtLaunchCallback(Some(run_boxed), none, BLOCK, first)), ACL_ERROR_RT_STREAM_NO_CB_REG);
    assert_eq!(acl!(aclrtUnSubscribeReport(me, first)), ACL_ERROR_RT_STREAM_SUBSCRIBE);
    ok!(aclrtSubscribeReport(me, first));
    ok!(aclrtSubscribeReport(me, second));
    assert_eq!(acl!(aclrtSubscribeReport(me, first)), ACL_ERROR_RT_STREAM_SUBSCRIBE);
    assert_eq!(acl!(aclrtSubscribeReport(me + 1, first)), ACL_ERROR_RT_STREAM_SUBSCRIBE);
    assert_eq!(acl!(aclrtUnSubscribeReport(me + 1, first)), ACL_ERROR_RT_THREAD_SUBSCRIBE);
    assert_eq!(acl!(aclrtLaunchCallback(None, none, BLOCK, first)), ACL_ERROR_RT_PARAM_INVALID);
    ok!(aclrtSetDevice(1));
    let elsewhere = stream();
    assert_eq!(acl!(aclrtSubscribeReport(me, elsewhere)), ACL_ERROR_RT_THREAD_SUBSCRIBE);
    assert_eq!(acl!(aclrtSubscribeReport(me, first)), ACL_ERROR_RT_STREAM_SUBSCRIBE);
    // A stream with host functions has a thread of the library for its callbacks, and none of the caller's.
    ok!(aclrtSetDevice(0));
    assert_eq!(acl!(aclrtLaunchHostFunc(first, Some(never), none)), ACL_ERROR_RT_STREAM_SUBSCRIBE);
    let hosted = stream();
    launch(hosted, || {});
    assert_eq!(acl!(aclrtSubscribeReport(me, hosted)), ACL_ERROR_RT_STREAM_SUBSCRIBE);
    assert_eq!(acl!(aclrtLaunchCallback(Some(never), none, BLOCK, hosted)), ACL_ERROR_RT_STREAM_SUBSCRIBE);
    ok!(aclrtSynchronizeStream(hosted));
}

#[test]
fn lost_callbacks_let_their_stream_go_on() {
    let _machine = device();
    let stream = stream();
    let me = pthread_self() as u64;
    ok!(aclrtSubscribeReport(me, stream));
    ok!(aclrtLaunchCallback(Some(never), std::ptr::null_mut(), BLOCK, stream));
    assert_eq!(acl!(aclrtSynchronizeStreamWithTimeout(stream, 20)), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    ok!(aclrtUnSubscribeReport(me, stream));
    assert_eq!(acl!(aclrtSynchronizeStream(stream)), ACL_ERROR_RT_STREAM_ABORT);
    ok!(aclrtDestroyStream(stream));
}

unsafe extern "C" fn never(_: *mut std::ffi::c_void) {
    unreachable!("the callback was lost");
}

#[test]
fn a_thread_that_waits_for_reports_hears_of_the_end() {
    let _machine = device();
    let stream = stream();
    let (tell, told) = mpsc::channel();
    let (go, gone) = mpsc::channel::<()>();
    let thread = thread::spawn(move || {
        tell.send(pthread_self() as u64).unwrap();
        gone.recv().unwrap();
        acl!(aclrtProcessReport(-1))
    });
    let id = told.recv().unwrap();
    ok!(aclrtSubscribeReport(id, stream));
    go.send(()).unwrap();
    thread::sleep(Duration::from_millis(20));
    ok!(aclrtUnSubscribeReport(id, stream));
    assert_eq!(thread.join().unwrap(), ACL_ERROR_RT_THREAD_SUBSCRIBE);
}

#[test]
fn a_callback_cannot_wait_for_its_own_stream() {
    let _machine = device();
    let stream = Shared(stream());
    let me = pthread_self() as u64;
    ok!(aclrtSubscribeReport(me, stream.get()));
    let (tell, told) = mpsc::channel();
    call(stream.get(), BLOCK, move || tell.send(acl!(aclrtSynchronizeStream(stream.get()))).unwrap());
    ok!(aclrtProcessReport(-1));
    assert_eq!(told.recv().unwrap(), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    ok!(aclrtSynchronizeStream(stream.get()));
}
