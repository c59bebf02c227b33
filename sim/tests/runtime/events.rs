//! Events: record, wait, time, misuse.

use super::support::*;
use ascendcl_macros::proves;
use ascendcl_sim::control;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

fn with_flag(flag: u32) -> aclrtEvent {
    let mut event = aclrtEvent::NULL;
    ok!(aclrtCreateEventWithFlag(&mut event, flag));
    event
}

#[test]
fn a_stream_waits_for_another_streams_record() {
    let _machine = device();
    let (first, second, event) = (stream(), stream(), event());
    let (release, released) = mpsc::channel::<()>();
    let order = Arc::new(AtomicUsize::new(0));
    let early = Arc::clone(&order);
    launch(first, move || {
        released.recv().unwrap();
        early.store(1, SeqCst);
    });
    ok!(aclrtRecordEvent(event, first));
    ok!(aclrtStreamWaitEvent(second, event));
    let (late, seen) = (Arc::clone(&order), Arc::new(AtomicUsize::new(0)));
    let note = Arc::clone(&seen);
    launch(second, move || note.store(late.load(SeqCst) + 10, SeqCst));
    assert_eq!(acl!(aclrtSynchronizeStreamWithTimeout(second, 30)), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    assert_eq!(acl!(aclrtSynchronizeEventWithTimeout(event, 30)), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
    let mut waits = aclrtEventWaitStatus::ACL_EVENT_WAIT_STATUS_RESERVED;
    ok!(aclrtQueryEventWaitStatus(event, &mut waits));
    assert_eq!(waits, aclrtEventWaitStatus::ACL_EVENT_WAIT_STATUS_NOT_READY);
    release.send(()).unwrap();
    ok!(aclrtSynchronizeStream(second));
    assert_eq!(seen.load(SeqCst), 11);
    ok!(aclrtSynchronizeEvent(event));
    soon("the end of the wait", || {
        ok!(aclrtQueryEventWaitStatus(event, &mut waits));
        waits == aclrtEventWaitStatus::ACL_EVENT_WAIT_STATUS_COMPLETE
    });
}

#[test]
fn hundreds_of_waiting_streams_hold_no_thread() {
    let _machine = device();
    let (first, event) = (stream(), event());
    let (release, released) = mpsc::channel::<()>();
    launch(first, move || released.recv().unwrap());
    ok!(aclrtRecordEvent(event, first));
    let others: Vec<_> = (0..500).map(|_| stream()).collect();
    let ran = Arc::new(AtomicUsize::new(0));
    for other in &others {
        ok!(aclrtStreamWaitEvent(*other, event));
        let ran = Arc::clone(&ran);
        launch(*other, move || {
            ran.fetch_add(1, SeqCst);
        });
    }
    // A stream that does not wait still runs.
    let (free, mark) = (stream(), self::event());
    ok!(aclrtRecordEvent(mark, free));
    ok!(aclrtSynchronizeStream(free));
    let mut status = aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_NOT_READY;
    ok!(aclrtQueryEventStatus(mark, &mut status));
    assert_eq!(status, aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_COMPLETE);
    assert_eq!(ran.load(SeqCst), 0);
    release.send(()).unwrap();
    ok!(aclrtSynchronizeDevice());
    assert_eq!(ran.load(SeqCst), 500);
}

#[proves(EVENT_09)]
#[test]
fn a_wait_is_for_the_record_that_was_newest_when_it_was_called() {
    let _machine = device();
    let (first, second, third, event) = (stream(), stream(), stream(), event());
    ok!(aclrtRecordEvent(event, first));
    ok!(aclrtStreamWaitEvent(second, event));
    let (release, released) = mpsc::channel::<()>();
    launch(first, move || released.recv().unwrap());
    ok!(aclrtRecordEvent(event, first));
    ok!(aclrtStreamWaitEvent(third, event));
    ok!(aclrtSynchronizeStream(second));
    assert_eq!(acl!(aclrtSynchronizeStreamWithTimeout(third, 20)), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    // Destroying the event does not disturb who waits for its record.
    ok!(aclrtDestroyEvent(event));
    release.send(()).unwrap();
    ok!(aclrtSynchronizeStream(third));
}

#[test]
fn a_discarded_record_ends_the_waits_for_it_with_a_failure() {
    let _machine = device();
    let (first, second, event) = (stream(), stream(), event());
    let (release, released) = mpsc::channel::<()>();
    launch(first, move || released.recv().unwrap());
    ok!(aclrtRecordEvent(event, first));
    ok!(aclrtStreamWaitEvent(second, event));
    ok!(aclrtStreamAbort(first));
    assert_eq!(acl!(aclrtSynchronizeStream(second)), ACL_ERROR_RT_STREAM_ABORT);
    ok!(aclrtSynchronizeStream(second));
    release.send(()).unwrap();
    assert_eq!(acl!(aclrtSynchronizeEvent(event)), ACL_ERROR_RT_STREAM_ABORT);
}

#[test]
fn a_wait_with_a_limit_gives_up() {
    let _machine = device();
    let (first, second, event) = (stream(), stream(), event());
    let (release, released) = mpsc::channel::<()>();
    launch(first, move || released.recv().unwrap());
    ok!(aclrtRecordEvent(event, first));
    let started = Instant::now();
    // In seconds.
    ok!(aclrtStreamWaitEventWithTimeout(second, event, 1));
    ok!(aclrtStreamWaitEventWithTimeout(second, event, 1));
    assert_eq!(acl!(aclrtSynchronizeStream(second)), ACL_ERROR_RT_WAIT_TIMEOUT);
    assert!(started.elapsed() >= Duration::from_secs(2));
    ok!(aclrtStreamWaitEventWithTimeout(second, event, 100));
    release.send(()).unwrap();
    ok!(aclrtSynchronizeStream(second));
    assert!(started.elapsed() < Duration::from_secs(60));
}

#[test]
fn elapsed_time_is_real() {
    let _machine = device();
    let (stream, start, end) = (stream(), event(), event());
    let mut ms = -1.0;
    ok!(aclrtRecordEvent(start, stream));
    assert_eq!(acl!(aclrtEventElapsedTime(&mut ms, start, end)), ACL_ERROR_RT_INTERNAL_ERROR);
    assert_eq!(ms, -1.0);
    let (release, released) = mpsc::channel::<()>();
    launch(stream, move || {
        thread::sleep(Duration::from_millis(30));
        released.recv().unwrap();
    });
    ok!(aclrtRecordEvent(end, stream));
    assert_eq!(acl!(aclrtEventElapsedTime(&mut ms, start, end)), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID);
    release.send(()).unwrap();
    ok!(aclrtSynchronizeStream(stream));
    ok!(aclrtEventElapsedTime(&mut ms, start, end));
    assert!((30.0..5000.0).contains(&ms), "{ms}");
    let (elapsed, mut reversed) = (ms, 0.0);
    ok!(aclrtEventElapsedTime(&mut reversed, end, start));
    assert_eq!(reversed, -elapsed, "the vendor's library answers a negative time");
    let (mut before, mut after) = (0, 0);
    ok!(aclrtEventGetTimestamp(start, &mut before));
    ok!(aclrtEventGetTimestamp(end, &mut after));
    assert!(before > 0 && after - before >= 30_000, "{before} {after}");
}

#[test]
fn flags_say_what_an_event_can_do() {
    let _machine = device();
    let stream = stream();
    let mut event = aclrtEvent::NULL;
    for bad in [0, u32::MAX, ACL_EVENT_IPC | ACL_EVENT_SYNC, 0x80] {
        assert_eq!(acl!(aclrtCreateEventWithFlag(&mut event, bad)), ACL_ERROR_RT_PARAM_INVALID);
        assert_eq!(acl!(aclrtCreateEventExWithFlag(&mut event, bad)), ACL_ERROR_RT_PARAM_INVALID);
    }
    let (sync, capture) = (with_flag(ACL_EVENT_SYNC), with_flag(ACL_EVENT_CAPTURE_STREAM_PROGRESS));
    let mut ms = -1.0;
    ok!(aclrtRecordEvent(sync, stream));
    ok!(aclrtRecordEvent(capture, stream));
    assert_eq!(acl!(aclrtEventElapsedTime(&mut ms, sync, capture)), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID);
    ok!(aclrtSynchronizeEvent(capture));
    assert_eq!(acl!(aclrtStreamWaitEvent(stream, capture)), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    assert_eq!(acl!(aclrtResetEvent(capture, stream)), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    ok!(aclrtSynchronizeStream(stream));
    ok!(aclrtEventElapsedTime(&mut ms, sync, capture));
    ok!(aclrtResetEvent(sync, stream));
    ok!(aclrtStreamWaitEvent(stream, sync));
    assert_eq!(acl!(aclrtSynchronizeStreamWithTimeout(stream, 20)), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    ok!(aclrtRecordEvent(sync, aclrtStream::NULL));
    ok!(aclrtSynchronizeStream(stream));

    let mut ex = aclrtEvent::NULL;
    ok!(aclrtCreateEventExWithFlag(&mut ex, ACL_EVENT_SYNC));
    ok!(aclrtStreamWaitEvent(stream, ex));
    let mut status = aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_NOT_READY;
    ok!(aclrtQueryEventStatus(ex, &mut status));
    assert_eq!(status, aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_COMPLETE);
    let mut old = aclrtEventStatus::ACL_EVENT_STATUS_RESERVED;
    assert_eq!(acl!(aclrtQueryEvent(ex, &mut old)), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    assert_eq!(acl!(aclrtResetEvent(ex, stream)), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}

#[proves(EVENT_05)]
#[test]
fn an_event_that_was_never_recorded_is_not_complete() {
    let _machine = device();
    let (stream, event) = (stream(), event());
    let mut status = aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_COMPLETE;
    ok!(aclrtQueryEventStatus(event, &mut status));
    assert_eq!(status, aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_NOT_READY);
    ok!(aclrtSynchronizeEvent(event));
    assert_eq!(acl!(aclrtStreamWaitEvent(stream, event)), ACL_ERROR_RT_PARAM_INVALID);
    ok!(aclrtResetEvent(event, stream));
    ok!(aclrtDestroyEvent(event));
    assert_eq!(acl!(aclrtDestroyEvent(event)), ACL_ERROR_RT_INVALID_HANDLE);
    assert_eq!(acl!(aclrtRecordEvent(event, stream)), ACL_ERROR_RT_INVALID_HANDLE);
}

#[test]
fn events_outlive_their_context_and_not_their_device() {
    let _machine = device();
    let made = context(0);
    let event = event();
    ok!(aclrtDestroyContext(made));
    ok!(aclrtSetDevice(0));
    ok!(aclrtRecordEvent(event, aclrtStream::NULL));
    assert_eq!(control::live().events, 1);
    ok!(aclrtResetDevice(0));
    ok!(aclrtResetDevice(0));
    let mut status = aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_COMPLETE;
    assert_eq!(acl!(aclrtQueryEventStatus(event, &mut status)), ACL_ERROR_RT_INVALID_HANDLE);
    assert_eq!(acl!(aclrtDestroyEvent(event)), ACL_ERROR_RT_INVALID_HANDLE);
    assert!(control::live().is_empty());
}

#[test]
fn time_stamps_do_not_depend_on_which_event_is_asked_first() {
    let _machine = device();
    let (stream, first, second) = (stream(), event(), event());
    ok!(aclrtRecordEvent(first, stream));
    launch(stream, || thread::sleep(Duration::from_millis(100)));
    ok!(aclrtRecordEvent(second, stream));
    ok!(aclrtSynchronizeStream(stream));
    let at = |event| {
        let mut time = 0;
        ok!(aclrtEventGetTimestamp(event, &mut time));
        time
    };
    let (later, earlier) = (at(second), at(first));
    assert!(later - earlier >= 100_000, "{earlier} and {later}");
}

#[test]
fn an_event_of_several_processes_is_recorded_and_awaited_by_the_calls_that_take_flags() {
    let _machine = device();
    let (first, second, mut event) = (stream(), stream(), aclrtEvent::NULL);
    ok!(aclrtCreateEventExWithFlag(&mut event, ACL_EVENT_IPC));
    let open = block(first);
    ok!(aclrtRecordEventWithFlag(event, first, 0));
    ok!(aclrtStreamWaitEventWithFlag(second, event, 0, 0));
    assert_eq!(acl!(aclrtSynchronizeStreamWithTimeout(second, 30)), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    drop(open);
    ok!(aclrtSynchronizeStream(second));
    ok!(aclrtDestroyEvent(event));

    // Null and the flag are looked at before the handle.
    let (gone, wrong, unknown) = (event, ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_INVALID_HANDLE);
    for (event, flag, code) in [(aclrtEvent::NULL, 0, wrong), (gone, 7, wrong), (gone, 0, unknown)] {
        assert_eq!(acl!(aclrtRecordEventWithFlag(event, first, flag)), code, "{flag}");
        assert_eq!(acl!(aclrtStreamWaitEventWithFlag(second, event, 0, flag)), code, "{flag}");
    }
}
