//! Waits that would not end, and limits that come too early.

use super::{fail, inside, set, with_device};
use crate::common::alone;
use crate::null::{TIMEOUT, books};
use ascendcl_macros::proves;
use std::thread;
use std::time::{Duration, Instant};

/// The time limit that the library gives a task; nothing says of which of its own limits it speaks.
const TASK_TIMEOUT: i32 = 107_020;

#[proves(STREAM_16, EVENT_11)]
#[test]
fn no_wait_is_made_without_a_limit() {
    let books = books();
    with_device(books.acl(), |device, thread| {
        device
            .with_current(thread, |current| {
                let stream = current.stream().unwrap();
                drop(set(current, &stream, 1).wait(current).unwrap());
                stream.synchronize(current).unwrap();
                current.default_stream().synchronize(current).unwrap();
                current.synchronize().unwrap();
                stream.destroy(current).unwrap();
            })
            .unwrap();
    });
    assert_eq!((books.calls("aclrtSynchronizeStream"), books.calls("aclrtSynchronizeDevice")), (0, 0));
    assert!(books.calls("aclrtSynchronizeStreamWithTimeout") >= 4);
    assert_eq!(books.calls("aclrtSynchronizeDeviceWithTimeout"), 1);
    books.assert_closed();
}

#[proves(STREAM_16)]
#[test]
fn a_wait_without_a_limit_goes_on_when_a_slice_of_it_is_over() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let work = stream.call_back(current, || thread::sleep(Duration::from_millis(700))).unwrap();
        let start = Instant::now();
        work.wait(current).unwrap().into_result().unwrap();
        assert!(start.elapsed() >= Duration::from_millis(650));
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_16, EVENT_11)]
#[test]
fn before_a_limit_is_told_the_library_is_asked_again() {
    let books = books();
    with_device(books.acl(), |device, thread| {
        device
            .with_current(thread, |current| {
                let stream = current.stream().unwrap();
                for code in [TIMEOUT, TASK_TIMEOUT] {
                    books.refuse("aclrtSynchronizeStreamWithTimeout", code, 1);
                    let work = set(current, &stream, 1);
                    drop(work.wait_within(current, Duration::from_millis(2)).unwrap());
                }
                books.refuse("aclrtSynchronizeDeviceWithTimeout", TIMEOUT, 1);
                current.synchronize_within(Duration::from_millis(2)).unwrap();
                // And when it says so again, the time is up.
                for code in [TIMEOUT, TASK_TIMEOUT] {
                    books.refuse("aclrtSynchronizeStreamWithTimeout", code, -1);
                    let undone = set(current, &stream, 1).wait_within(current, Duration::from_millis(2)).unwrap_err();
                    assert!(undone.error.code().unwrap().is_timeout(), "{}", undone.error);
                    books.refuse_no_more("aclrtSynchronizeStreamWithTimeout");
                    drop(undone.value.wait(current).unwrap());
                }
            })
            .unwrap();
    });
    books.assert_closed();
}

#[proves(STREAM_16)]
#[test]
fn a_library_that_gives_a_wait_up_at_once_again_and_again_is_not_asked_for_ever() {
    let books = books();
    with_device(books.acl(), |device, thread| {
        device
            .with_current(thread, |current| {
                let stream = current.stream().unwrap();
                books.refuse("aclrtSynchronizeStreamWithTimeout", TIMEOUT, -1);
                let undone = set(current, &stream, 1).wait(current).unwrap_err();
                assert!(undone.error.code().unwrap().is_timeout(), "{}", undone.error);
                books.refuse_no_more("aclrtSynchronizeStreamWithTimeout");
                drop(undone.value.wait(current).unwrap());
            })
            .unwrap();
    });
    books.assert_closed();
}

#[proves(STREAM_16, EVENT_11)]
#[test]
fn a_limit_does_not_end_before_its_time() {
    let alone = alone();
    inside(|current| {
        let (stream, limit) = (current.stream().unwrap(), Duration::from_micros(3900));
        let work = stream.call_back(current, || thread::sleep(Duration::from_millis(300))).unwrap();
        let event = stream.record(current, current.event().unwrap()).unwrap();
        for _ in 0..5 {
            let start = Instant::now();
            assert!(stream.synchronize_within(current, limit).unwrap_err().code().unwrap().is_timeout());
            assert!(start.elapsed() >= limit, "{:?}", start.elapsed());
            let start = Instant::now();
            assert!(event.synchronize_within(current, limit).unwrap_err().code().unwrap().is_timeout());
            assert!(start.elapsed() >= limit, "{:?}", start.elapsed());
        }
        work.wait(current).unwrap().into_result().unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_16)]
#[test]
fn waits_for_devices_that_hang_end() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        fail("aclrtMemsetAsync#1=hang");
        let work = set(current, &stream, 1);
        let error = stream.synchronize(current).unwrap_err();
        assert!(error.code().unwrap().is_timeout(), "{error}");
        let undone = work.wait(current).unwrap_err();
        assert!(undone.error.code().unwrap().is_timeout(), "{}", undone.error);
        fail("");
        drop(undone.value.wait(current).unwrap());
    });
    alone.assert_nothing_lives();
}
